import Foundation

/// What the rig asks for: Documents/rig/manifest.json.
struct Manifest: Decodable {
    struct File: Decodable {
        let name: String
        let size_bytes: Int
        let sha256: String
    }

    let schema_version: Int
    /// Comes back in the result, so that an old result is never taken for a new one.
    let ticket: String
    let files: [File]
}

/// What was done: Documents/rig/result.json, written after each batch and read back by the rig.
struct Outcome: Codable {
    struct Asset: Codable {
        let sha256: String
        let local_identifier: String
        let size_bytes: Int
        let width_px: Int
        let height_px: Int
        /// ISO 8601 with offset, as the library has it.
        let created: String?
    }

    var schema_version = 1
    var ticket = ""
    var complete = false
    /// By the name that the rig gave the file.
    var assets: [String: Asset] = [:]
    /// Why a file was not imported, by name.
    var failed: [String: String] = [:]
    /// All images of the library, whoever put them there.
    var library_count = 0
}
