/// Bounds on the cost of reading one frame; a frame over one of them is refused.
package struct WireLimits: Hashable, Sendable {
    /// Bytes of one serialized command, before base64. SDKs hold themselves to 5 x 1024.
    package var frameBytes: Int
    /// Fields of one frame, those of nested messages and unknown ones included.
    package var fields: Int
    /// How deep unknown groups may nest. Known messages need no bound: no type holds itself.
    package var groupDepth: Int

    package init(frameBytes: Int = 5 * 1024, fields: Int = 4096, groupDepth: Int = 16) {
        self.frameBytes = frameBytes
        self.fields = fields
        self.groupDepth = groupDepth
    }
}
