import CryptoKit
import Foundation
import Photos

/// Works off the manifest. Can be ended at any moment: what is in the result and in the library is not done again.
@MainActor
final class ImportWork: ObservableObject {
    @Published private(set) var status = "Waiting for a manifest"

    /// Bounds what is lost when the app is ended, and the memory of one change request.
    private static let batch = 50
    private let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        .appendingPathComponent("rig", isDirectory: true)
    private var running = false

    func begin() async {
        guard !running else { return }
        running = true
        defer { running = false }
        guard await PHPhotoLibrary.requestAuthorization(for: .readWrite) == .authorized else {
            status = "Full access to photos is needed: Settings > Privacy & Security > Photos"
            return
        }
        do {
            try await work()
        } catch {
            status = "Stopped: \(error.localizedDescription)"
        }
    }

    private func work() async throws {
        let data = try Data(contentsOf: folder.appendingPathComponent("manifest.json"))
        let manifest = try JSONDecoder().decode(Manifest.self, from: data)
        var outcome = earlier()
        outcome.ticket = manifest.ticket
        outcome.complete = false
        outcome.failed = [:]
        outcome.assets = stillThere(outcome.assets)
        let waiting = manifest.files.filter { outcome.assets[$0.name]?.sha256 != $0.sha256 }
        for start in stride(from: 0, to: waiting.count, by: Self.batch) {
            let files = Array(waiting[start ..< min(start + Self.batch, waiting.count)])
            await add(files, to: &outcome)
            try write(&outcome)
            status = "\(outcome.assets.count) photos imported, \(outcome.failed.count) refused"
        }
        outcome.complete = true
        try write(&outcome)
        status = "Done: \(outcome.assets.count) photos imported, \(outcome.failed.count) refused"
    }

    /// Files whose hash is right become assets, oldest first as the manifest has them; PhotoKit does not drop duplicates.
    private func add(_ files: [Manifest.File], to outcome: inout Outcome) async {
        for file in files {
            let url = folder.appendingPathComponent("files").appendingPathComponent(file.name)
            guard let found = Self.sha256(of: url) else {
                outcome.failed[file.name] = "no such file"
                continue
            }
            guard found == file.sha256 else {
                outcome.failed[file.name] = "its hash differs"
                continue
            }
            do {
                outcome.assets[file.name] = try await asset(from: url, for: file)
            } catch {
                let cause = error as NSError
                outcome.failed[file.name] = "\(cause.domain) \(cause.code)"
            }
        }
    }

    /// Bytes are kept as they are; the file is moved, so that the album needs its room only once.
    private func asset(from url: URL, for file: Manifest.File) async throws -> Outcome.Asset {
        var identifier = ""
        try await PHPhotoLibrary.shared().performChanges {
            let request = PHAssetCreationRequest.forAsset()
            let options = PHAssetResourceCreationOptions()
            options.originalFilename = file.name
            options.shouldMoveFile = true
            request.addResource(with: .photo, fileURL: url, options: options)
            identifier = request.placeholderForCreatedAsset?.localIdentifier ?? ""
        }
        let found = PHAsset.fetchAssets(withLocalIdentifiers: [identifier], options: nil).firstObject
        return Outcome.Asset(
            sha256: file.sha256,
            local_identifier: identifier,
            size_bytes: file.size_bytes,
            width_px: found?.pixelWidth ?? 0,
            height_px: found?.pixelHeight ?? 0,
            created: found?.creationDate.map { ISO8601DateFormatter().string(from: $0) }
        )
    }

    /// An asset that somebody deleted is missing, whatever an old result says.
    private func stillThere(_ assets: [String: Outcome.Asset]) -> [String: Outcome.Asset] {
        let found = PHAsset.fetchAssets(withLocalIdentifiers: assets.values.map(\.local_identifier), options: nil)
        var identifiers = Set<String>()
        found.enumerateObjects { asset, _, _ in identifiers.insert(asset.localIdentifier) }
        return assets.filter { identifiers.contains($0.value.local_identifier) }
    }

    private func earlier() -> Outcome {
        let data = try? Data(contentsOf: folder.appendingPathComponent("result.json"))
        return data.flatMap { try? JSONDecoder().decode(Outcome.self, from: $0) } ?? Outcome()
    }

    private func write(_ outcome: inout Outcome) throws {
        outcome.library_count = PHAsset.fetchAssets(with: .image, options: nil).count
        let url = folder.appendingPathComponent("result.json")
        try JSONEncoder().encode(outcome).write(to: url, options: .atomic)
    }

    private static func sha256(of url: URL) -> String? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        var hash = SHA256()
        while let block = try? handle.read(upToCount: 1 << 20), !block.isEmpty {
            hash.update(data: block)
        }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}
