"""Places on the map, and which of them are near: the plain way, against which answers are held."""
import math

EARTH_KILOMETRES = 6378.1
SOUTH, WEST = 35.0, 139.0


def spread(count):
    """So many places, evenly over one square degree (the R2 sequence)."""
    return [(round(SOUTH + (0.5 + number * 0.7548776662466927) % 1, 7),
             round(WEST + (0.5 + number * 0.5698402909980532) % 1, 7)) for number in range(count)]


def centres(count):
    """Points to look from, far enough inside that the square's edge does not matter."""
    return [(round(SOUTH + 0.1 + 0.8 * ((0.3 + number * 0.6180339887) % 1), 7),
             round(WEST + 0.1 + 0.8 * ((0.1 + number * 0.4142135624) % 1), 7)) for number in range(count)]


def point(latitude, longitude):
    return {'__type': 'GeoPoint', 'latitude': latitude, 'longitude': longitude}


def kilometres(a, b):
    """Great-circle distance (haversine)."""
    (lat1, lon1), (lat2, lon2) = ([math.radians(part) for part in place] for place in (a, b))
    root = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KILOMETRES * math.asin(math.sqrt(root))


class Grid:
    """The places by cells of a hundredth of a degree."""

    def __init__(self, spots):
        self.spots, self.cells = spots, {}
        for number, spot in enumerate(spots):
            self.cells.setdefault(self.cell(spot), []).append(number)

    @staticmethod
    def cell(spot):
        return int(spot[0] * 100), int(spot[1] * 100)

    def within(self, centre, radius):
        """(distance, number) of the places within so many kilometres, nearest first; None when one of
        them lies within a metre of the edge, or two within a millimetre of the same distance."""
        row, column = self.cell(centre)
        reach = int(radius / 0.9) + 1  # a cell is 0.9 km wide here, 1.1 km high
        near = []
        for r in range(row - reach, row + reach + 1):
            for c in range(column - reach, column + reach + 1):
                for number in self.cells.get((r, c), ()):
                    near.append((kilometres(centre, self.spots[number]), number))
        near.sort()
        if any(abs(distance - radius) < 0.001 for distance, _ in near):
            return None
        inside = [pair for pair in near if pair[0] < radius]
        if any(b[0] - a[0] < 1e-6 for a, b in zip(inside, inside[1:])):
            return None
        return inside
