// The importer: files and a manifest in Documents/rig become photos of the library.
// Compiled with Xcode on a Mac; not exercised by this project's CI. See README.md beside it.

import SwiftUI

@main
struct ImporterApp: App {
    @StateObject private var work = ImportWork()
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            VStack(spacing: 12) {
                Text("Importer").font(.title)
                Text(work.status).multilineTextAlignment(.center)
            }
            .padding()
            .task { await work.begin() }
            .onChange(of: phase) { now in
                // An import must not be stopped by auto-lock.
                UIApplication.shared.isIdleTimerDisabled = now == .active
            }
        }
    }
}
