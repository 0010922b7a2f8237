"""The commands of the LeanCloud realtime protocol as Python messages, from a table of their fields.

`COMMAND`, `SESSION` and so on below are classes of PyPI `protobuf`, an encoder and decoder that shares nothing with the
server's.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "push_server.messages2"

ENUMS = {
    "CommandType": """
        session 0 conv 1 direct 2 ack 3 rcp 4 unread 5 logs 6 error 7 login 8 data 9 room 10 read 11 presence 12
        report 13 echo 14 loggedin 15 logout 16 loggedout 17 patch 18 pubsub 19 blacklist 20 goaway 21""",
    "OpType": """
        open 1 add 2 remove 3 close 4 opened 5 closed 6 query 7 query_result 8 conflict 9 added 10 removed 11
        refresh 12 refreshed 13
        start 30 started 31 joined 32 members_joined 33 left 39 members_left 40 results 42 count 43 result 44
        update 45 updated 46 mute 47 unmute 48 status 49 members 50 max_read 51 is_member 52
        member_info_update 53 member_info_updated 54 member_info_changed 55 expire 56
        join 80 invite 81 leave 82 kick 83 reject 84 invited 85 kicked 86
        upload 100 uploaded 101
        subscribe 120 subscribed 121 unsubscribe 122 unsubscribed 123 is_subscribed 124
        modify 150 modified 151
        block 170 unblock 171 blocked 172 unblocked 173 members_blocked 174 members_unblocked 175
        check_block 176 check_result 177
        add_shutup 180 remove_shutup 181 query_shutup 182 shutup_added 183 shutup_removed 184 shutup_result 185
        shutuped 186 unshutuped 187 members_shutuped 188 members_unshutuped 189 check_shutup 190""",
    "StatusType": "on 1 off 2",
    "DeviceType": "unknown 0 android 1 ios 2",
    "QueryDirection": "OLD 1 NEW 2",
}

#: Of each message its fields: name, number, type. `*` is repeated, `!` required, any other optional.
MESSAGES = {
    "JsonObjectMessage": "data 1 string!",
    "UnreadTuple": """
        cid 1 string! unread 2 int32! mid 3 string timestamp 4 int64 from 5 string data 6 string
        patchTimestamp 7 int64 mentioned 8 bool binaryMsg 9 bytes convType 10 int32""",
    "LogItem": """
        from 1 string data 2 string timestamp 3 int64 msgId 4 string ackAt 5 int64 readAt 6 int64
        patchTimestamp 7 int64 mentionAll 8 bool mentionPids 9 string* bin 10 bool convType 11 int32""",
    "ConvMemberInfo": "pid 1 string role 2 string infoId 3 string",
    "SemanticVersion": "major 1 int32 minor 2 int32 patch 3 int32 preRelease 4 string build 5 string",
    "AndroidVersion": "codename 1 string apiLevel 2 string",
    "SystemInfo": """
        deviceType 1 DeviceType osVersion 2 SemanticVersion androidVersion 3 AndroidVersion isEmulator 4 bool""",
    "LoginCommand": "systemInfo 1 SystemInfo",
    "LoggedinCommand": "pushDisabled 1 bool",
    "DataCommand": "ids 1 string* msg 2 JsonObjectMessage* offline 3 bool",
    "SessionCommand": """
        t 1 int64 n 2 string s 3 string ua 4 string r 5 bool tag 6 string deviceId 7 string
        sessionPeerIds 8 string* onlineSessionPeerIds 9 string* st 10 string stTtl 11 int32 code 12 int32
        reason 13 string deviceToken 14 string sp 15 bool detail 16 string lastUnreadNotifTime 17 int64
        lastPatchTime 18 int64 configBitmap 19 int64 systemInfo 20 SystemInfo""",
    "ErrorCommand": "code 1 int32! reason 2 string! appCode 3 int32 detail 4 string pids 5 string* appMsg 6 string",
    "DirectCommand": """
        msg 1 string uid 2 string fromPeerId 3 string timestamp 4 int64 offline 5 bool hasMore 6 bool
        toPeerIds 7 string* r 10 bool cid 11 string id 12 string transient 13 bool dt 14 string roomId 15 string
        pushData 16 string will 17 bool patchTimestamp 18 int64 binaryMsg 19 bytes mentionPids 20 string*
        mentionAll 21 bool convType 22 int32""",
    "AckCommand": """
        code 1 int32 reason 2 string mid 3 string cid 4 string t 5 int64 uid 6 string fromts 7 int64 tots 8 int64
        type 9 string ids 10 string* appCode 11 int32 appMsg 12 string""",
    "UnreadCommand": "convs 1 UnreadTuple* notifTime 2 int64",
    "ReadTuple": "cid 1 string! timestamp 2 int64 mid 3 string",
    "ReadCommand": "cid 1 string cids 2 string* convs 3 ReadTuple*",
    "MaxReadTuple": "pid 1 string maxAckTimestamp 2 int64 maxReadTimestamp 3 int64",
    "RcpCommand": "id 1 string cid 2 string t 3 int64 read 4 bool from 5 string",
    "LogsCommand": """
        cid 1 string l 2 int32 limit 3 int32 t 4 int64 tt 5 int64 tmid 6 string mid 7 string checksum 8 string
        stored 9 bool direction 10 QueryDirection tIncluded 11 bool ttIncluded 12 bool lctype 13 int32
        logs 105 LogItem*""",
    "ConvCommand": """
        m 1 string* transient 2 bool unique 3 bool cid 4 string cdate 5 string initBy 6 string sort 7 string
        limit 8 int32 skip 9 int32 flag 10 int32 count 11 int32 udate 12 string t 13 int64 n 14 string s 15 string
        statusSub 16 bool statusPub 17 bool statusTTL 18 int32 uniqueId 19 string targetClientId 20 string
        maxReadTimestamp 21 int64 maxAckTimestamp 22 int64 queryAllMembers 23 bool maxReadTuples 24 MaxReadTuple*
        cids 25 string* info 26 ConvMemberInfo tempConv 27 bool tempConvTTL 28 int32 tempConvIds 29 string*
        allowedPids 30 string* failedPids 31 ErrorCommand* existing 32 bool next 40 string
        results 100 JsonObjectMessage where 101 JsonObjectMessage attr 103 JsonObjectMessage
        attrModified 104 JsonObjectMessage""",
    "RoomCommand": """
        roomId 1 string s 2 string t 3 int64 n 4 string transient 5 bool roomPeerIds 6 string* byPeerId 7 string""",
    "PresenceCommand": "status 1 StatusType sessionPeerIds 2 string* cid 3 string",
    "ReportCommand": "initiative 1 bool type 2 string data 3 string",
    "PatchItem": """
        cid 1 string mid 2 string timestamp 3 int64 recall 4 bool data 5 string patchTimestamp 6 int64 from 7 string
        binaryMsg 8 bytes mentionAll 9 bool mentionPids 10 string* patchCode 11 int64 patchReason 12 string""",
    "PatchCommand": "patches 1 PatchItem* lastPatchTime 2 int64",
    "PubsubCommand": """
        cid 1 string cids 2 string* topic 3 string subtopic 4 string topics 5 string* subtopics 6 string*
        results 7 JsonObjectMessage""",
    "BlacklistCommand": """
        srcCid 1 string toPids 2 string* srcPid 3 string toCids 4 string* limit 5 int32 next 6 string
        blockedPids 8 string* blockedCids 9 string* allowedPids 10 string* failedPids 11 ErrorCommand*
        t 12 int64 n 13 string s 14 string""",
    "GenericCommand": """
        cmd 1 CommandType op 2 OpType appId 3 string peerId 4 string i 5 int32 installationId 6 string
        priority 7 int32 service 8 int32 serverTs 9 int64 clientTs 10 int64 notificationType 11 int32
        loginMessage 100 LoginCommand dataMessage 101 DataCommand sessionMessage 102 SessionCommand
        errorMessage 103 ErrorCommand directMessage 104 DirectCommand ackMessage 105 AckCommand
        unreadMessage 106 UnreadCommand readMessage 107 ReadCommand rcpMessage 108 RcpCommand
        logsMessage 109 LogsCommand convMessage 110 ConvCommand roomMessage 111 RoomCommand
        presenceMessage 112 PresenceCommand reportMessage 113 ReportCommand patchMessage 114 PatchCommand
        pubsubMessage 115 PubsubCommand blacklistMessage 116 BlacklistCommand loggedinMessage 117 LoggedinCommand""",
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    kinds = descriptor_pb2.FieldDescriptorProto
    scalars = {"int32": kinds.TYPE_INT32, "int64": kinds.TYPE_INT64, "bool": kinds.TYPE_BOOL,
               "string": kinds.TYPE_STRING, "bytes": kinds.TYPE_BYTES}
    rules = {"*": kinds.LABEL_REPEATED, "!": kinds.LABEL_REQUIRED}
    file = descriptor_pb2.FileDescriptorProto(name="leancloud.proto", package=PACKAGE, syntax="proto2")
    for name, text in ENUMS.items():
        # Two enums may not share a value's name in one package: each lives in a message of its own.
        scope = file.message_type.add(name=f"{name}Scope")
        words = text.split()
        values = scope.enum_type.add(name=name).value
        for value, number in zip(words[::2], words[1::2]):
            values.add(name=value, number=int(number))
    for name, text in MESSAGES.items():
        words = text.split()
        fields = file.message_type.add(name=name).field
        for field, number, kind in zip(words[::3], words[1::3], words[2::3]):
            entry = fields.add(name=field, number=int(number), label=rules.get(kind[-1], kinds.LABEL_OPTIONAL))
            kind = kind.rstrip("*!")
            if kind in scalars:
                entry.type = scalars[kind]
            elif kind in ENUMS:
                entry.type, entry.type_name = kinds.TYPE_ENUM, f".{PACKAGE}.{kind}Scope.{kind}"
            else:
                entry.type, entry.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file())

#: The class of each message, by its name.
CLASSES: dict[str, Any] = {name: message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
                           for name in MESSAGES}
GenericCommand = CLASSES["GenericCommand"]

#: Numbers and names of commands and operations, both ways.
_numbers = {enum: dict(zip(text.split()[::2], map(int, text.split()[1::2]))) for enum, text in ENUMS.items()}
CMD, OP = _numbers["CommandType"], _numbers["OpType"]
CMD_NAMES, OP_NAMES = {v: k for k, v in CMD.items()}, {v: k for k, v in OP.items()}


def fill(message: Any, values: dict[str, Any]) -> Any:
    """Sets fields by name; a dictionary fills a message, a list a repeated field, `None` leaves the field absent."""
    for name, value in values.items():
        name = name.removesuffix("_")  # `from` is a word of Python
        if value is None:
            continue
        if isinstance(value, dict):
            part = getattr(message, name)
            part.SetInParent()
            fill(part, value)
        elif isinstance(value, (list, tuple)):
            field = getattr(message, name)
            for element in value:
                if isinstance(element, dict):
                    fill(field.add(), element)
                else:
                    field.append(element)
        else:
            setattr(message, name, value)
    return message


def command(cmd: str, op: str | None = None, **fields: Any) -> Any:
    """A command; `fields` are those of `GenericCommand`, messages as dictionaries."""
    made = GenericCommand(cmd=CMD[cmd])
    if op is not None:
        made.op = OP[op]
    return fill(made, fields)


def name_of(message: Any) -> str:
    """`conv/joined`, `direct`: what a command is called."""
    cmd = CMD_NAMES.get(message.cmd, str(message.cmd)) if message.HasField("cmd") else "none"
    return f"{cmd}/{OP_NAMES.get(message.op, message.op)}" if message.HasField("op") else cmd


def brief(message: Any) -> str:
    """A command on one line, for what a failed check says."""
    from google.protobuf import text_format
    return text_format.MessageToString(message, as_one_line=True, as_utf8=True)
