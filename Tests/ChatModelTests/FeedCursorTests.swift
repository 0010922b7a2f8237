import ChatModel
import Testing

struct FeedCursorTests {
    @Test("a cursor is read as it was written")
    func roundTrip() {
        for cursor in [
            FeedCursor(epoch: 1, position: 0), FeedCursor(epoch: 4_294_967_295, position: 913_402_888_112_128),
            FeedCursor(epoch: .max, position: .max),
        ] {
            #expect(FeedCursor(cursor.text) == cursor)
            #expect(cursor.text.utf8.count <= 27)
        }
    }

    @Test(
        "there is one spelling",
        arguments: [
            "", "-", "1", "1-", "-1", "1--1", "1-2-3", "0-1", "01-1", "1-01", "+1-1", "1-+1", "1--1", "A-1", "1-A",
            " 1-1",
            "1-1 ", "1_1", "1-1y2p0ij32e8e8", "１-1", "1-1\n", "zzzzzzzzzzzzzz-1",
        ])
    func strict(_ text: String) { #expect(FeedCursor(text) == nil) }
}
