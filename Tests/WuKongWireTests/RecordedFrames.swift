/// Frames as the Easy SDKs sent them (Python 0.1.0 and JS), with shortened tokens.
enum RecordedFrames {
    static let pythonConnect =
        #"{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","method":"connect","params":{"uid":"pa","token":"t1","#
        + #""deviceId":"python_0123456789abcdef0123456789abcdef","deviceFlag":2,"clientTimestamp":1795180445661}}"#

    static let pythonSend =
        #"{"id":"5f0c8c1e-8f0e-4e1b-9a53-0f1c3f6e8d11","method":"send","params":{"channelId":"pb","channelType":1,"#
        + #""clientMsgNo":"1b4e28ba-2fa1-11d2-883f-0016d3cca427","#
        + #""payload":"eyJ0eXBlIjoxLCJjb250ZW50IjoiaGVsbG8ifQ==","header":{"redDot":true}}}"#

    static let pythonAcknowledge =
        #"{"method":"recvack","params":{"header":{"redDot":true},"messageId":"7529532519813742593","messageSeq":1}}"#

    static let pythonPing = #"{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","method":"ping","params":{}}"#

    static let jsConnect =
        #"{"method":"connect","params":{"uid":"ja","token":"t","deviceId":"web_0f4a3795_1795180480143","deviceFlag":1,"#
        + #""clientTimestamp":1795180480174},"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}"#

    static let all = [pythonConnect, pythonSend, pythonAcknowledge, pythonPing, jsConnect]
}
