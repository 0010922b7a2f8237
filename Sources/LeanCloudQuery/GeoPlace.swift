import ByteCodec
import Glibc

/// A place on the earth: LeanCloud's `GeoPoint`.
struct GeoPlace: Hashable, Sendable {
    /// Degrees, -90...90.
    let latitude: Double
    /// Degrees, -180...180.
    let longitude: Double

    /// `nil` when the value is no `GeoPoint`, or none on the earth.
    init?(_ value: JSONValue) {
        guard value.typeName == "GeoPoint", let latitude = value.member("latitude")?.double,
            let longitude = value.member("longitude")?.double, -90...90 ~= latitude, -180...180 ~= longitude
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Radians along a great circle, 0...pi (the haversine formula).
    func distance(to other: GeoPlace) -> Double {
        let degree = Double.pi / 180
        let north = sin((other.latitude - self.latitude) * degree / 2)
        let east = sin((other.longitude - self.longitude) * degree / 2)
        let across = cos(self.latitude * degree) * cos(other.latitude * degree)
        return 2 * asin(min(1, (north * north + across * east * east).squareRoot()))
    }
}

/// A part of the earth that a query asks for.
enum GeoArea: Sendable {
    /// Radians around a place.
    case ring(GeoPlace, ClosedRange<Double>)
    /// From a place in the southwest to one in the northeast, across the date line where needed.
    case box(GeoPlace, GeoPlace)

    func contains(_ place: GeoPlace) -> Bool {
        switch self {
        case .ring(let center, let distances): return distances.contains(center.distance(to: place))
        case .box(let southwest, let northeast):
            guard southwest.latitude <= place.latitude, place.latitude <= northeast.latitude else { return false }
            let isEast = southwest.longitude <= place.longitude
            let isWest = place.longitude <= northeast.longitude
            return southwest.longitude <= northeast.longitude ? isEast && isWest : isEast || isWest
        }
    }

    /// Kilometres and miles of one radian. Source: LeanCloud SDKs, `GeoPoint`.
    private static let units = [("InKilometers", 6371.0), ("InMiles", 3958.8), ("InRadians", 1.0), ("", 1.0)]

    /// True when the operator belongs to `$nearSphere` and is read together with it.
    static func isDistance(_ name: String) -> Bool {
        self.units.contains { name == "$maxDistance\($0.0)" || name == "$minDistance\($0.0)" }
    }

    /// Reads `$nearSphere`, with the distances beside it.
    init?(near value: JSONValue, among members: [JSONValue.Member]) {
        guard let center = GeoPlace(value) else { return nil }
        var minimum = 0.0
        var maximum = 2 * Double.pi
        for member in members {
            for (unit, length) in Self.units {
                let isMaximum = member.name == "$maxDistance\(unit)"
                guard isMaximum || member.name == "$minDistance\(unit)" else { continue }
                guard let distance = member.value.double, distance >= 0 else { return nil }
                if isMaximum {
                    maximum = min(maximum, distance / length)
                } else {
                    minimum = max(minimum, distance / length)
                }
            }
        }
        guard minimum <= maximum else { return nil }
        self = .ring(center, minimum...maximum)
    }

    /// Reads `$within`, which knows only `$box`.
    init?(within value: JSONValue) {
        guard case .object(let members) = value, members.count == 1, let corners = value.member("$box")?.array,
            corners.count == 2, let southwest = GeoPlace(corners[0]), let northeast = GeoPlace(corners[1]),
            southwest.latitude <= northeast.latitude
        else { return nil }
        self = .box(southwest, northeast)
    }
}
