import ByteCodec
import Testing
import WuKongCrypto
