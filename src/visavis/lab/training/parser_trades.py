"""Words of shops: what they sell, how it looks, and how people compare it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trade:
    """What a kind of shop sells, and how it may be described.

    Attributes:
        nouns: Things, singular and plural.
        categories: Values of the attribute that says what a thing is.
        looks: Attributes with values that are seen; those of a first search stay in its text.
        others: Attributes with values that become filters in a first search as well.
        compared: Comparisons.
        parts: Things that one can do without.
    """

    nouns: tuple[tuple[str, str], ...]
    categories: tuple[str, ...]
    looks: Mapping[str, tuple[str, ...]]
    others: Mapping[str, tuple[str, ...]]
    compared: tuple[str, ...]
    parts: tuple[str, ...]


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Nouns: ``coat`` adds an s, ``dress/dresses`` is irregular, ``trousers`` has no singular."""
    found = []
    for word in _list(text):
        one, _, many = word.partition("/")
        found.append((one, many or (one if one.endswith("s") else f"{one}s")))
    return tuple(found)


COLOURS = _list(
    "black, white, grey, navy, blue, red, burgundy, pink, green, olive, mint, yellow, mustard, orange, "
    "purple, lavender, brown, beige, teal, cream, gold, silver, turquoise, coral, maroon, khaki, "
    "charcoal, rust, lilac, ivory, light blue, dark grey, light grey, pale pink, dark green, navy blue, "
    "off white, pale blue, sky blue, forest green, dark brown, hot pink, rose gold"
)
FASHION = Trade(
    nouns=_pairs(
        "coat, jacket, dress/dresses, skirt, shirt, blouse, top, T-shirt, jumper, cardigan, hoodie, "
        "trousers, jeans, shorts, hat, cap, beanie, scarf/scarves, bag, handbag, backpack, clutch/clutches, "
        "tote, shoes, boots, sneakers, sandals, heels, loafers, slippers, belt, watch/watches, suit, vest, "
        "gown, leggings, raincoat, tie, gloves, socks, polo shirt, blazer, parka, tunic, jumpsuit, kurta, "
        "sweater, sweatshirt, sun hat, tote bag, ankle boots, baseball cap, trench coat"
    ),
    categories=_list(
        "bag, dress, hat, T-shirt, shoes, coat, top, trousers, skirt, shirt, jumper, jacket, jeans, sandals, "
        "watch, scarf, Shirts, Jeans, Watches, Tshirts, Handbags, Casual Shoes, Tops, Kurtas, Dresses, "
        "Jackets, Belts, Socks"
    ),
    looks={
        "pattern": _list("plain, striped, checked, dotted, floral, logo, paisley, tartan, polka dot"),
        "length": _list("mini, midi, maxi, knee-length, cropped, full-length, short, long, hip-length"),
        "fit": _list("slim, regular, loose, oversized, fitted, flared, pencil, A-line, wide-leg, straight, pleated"),
        "sleeves": _list("long, short, sleeveless, straps, three-quarter"),
        "neckline": _list("round, V-neck, boat, collar, off-shoulder, square, high, lapels, stand collar"),
        "details": _list("belt, buttons, pockets, hood, lace, band, contrast soles, zip"),
        "kind": _list(
            "sneakers, ankle boots, high heels, sandals, loafers, tote bag, shoulder bag, backpack, clutch, "
            "beanie, sun hat, fedora, baseball cap, bucket hat, ballet flats"
        ),
        "style": _list("casual, formal, vintage, sporty, boho, elegant"),
        "logo": _list("anchor, star, heart, moon, mountain, lightning bolt"),
    },
    others={
        "brand": _list("Nike, Adidas, Puma, Titan, Fossil, Levis, Zara, Mango, Wrangler, Catwalk, Fila, Reebok, Gucci"),
        "gender": _list("Men, Women, Boys, Girls, Unisex"),
        "season": _list("Summer, Winter, Spring, Fall, Autumn"),
        "material": _list("cotton, wool, leather, linen, silk, denim, suede, polyester"),
        "size": _list("XS, S, M, L, XL"),
    },
    compared=_list(
        "longer sleeves, shorter sleeves, longer, shorter, darker, lighter, brighter, a bit longer, "
        "a little shorter, tighter, looser, more fitted, less fitted, more formal, more casual, less flashy, "
        "a higher neck, a deeper neckline, wider legs, thinner straps, wider straps, bigger buttons, "
        "smaller pockets, a higher heel, lower heels, flatter, thicker soles, warmer, more colourful, "
        "a darker colour, a lighter shade, softer, plainer, fancier, more elegant, less busy, a wider brim, "
        "bigger, smaller, puffier sleeves, narrower sleeves, shinier, more modern, younger, less tight, "
        "thicker, thinner, simpler, a longer skirt, brighter colours"
    ),
    parts=_list(
        "belt, buttons, pockets, hood, lace, straps, sleeves, collar, logo, stripes, flowers, zip, laces, "
        "heels, print, dots"
    ),
)
HOME = Trade(
    nouns=_pairs(
        "sofa, armchair, table, desk, bookcase, shelf/shelves, lamp, rug, chair, bed, cabinet, mirror, "
        "cushion, curtain, vase, stool, wardrobe, sideboard, bench/benches, couch/couches, coffee table, "
        "floor lamp, dining table, office chair, plant pot"
    ),
    categories=_list(
        "sofa, armchair, dining table, coffee table, bookcase, desk, bed, lamp, rug, stool, mirror, chair, wardrobe"
    ),
    looks={
        "style": _list("Scandinavian, mid-century, industrial, farmhouse, Art Deco, minimalist, rustic, modern, boho"),
        "shape": _list("round, square, oval, rectangular, corner"),
        "pattern": _list("plain, striped, floral, geometric, checked"),
        "finish": _list("matt, glossy, natural, lacquered, brushed"),
        "legs": _list("wooden, metal, none, tapered, wheels"),
    },
    others={
        "brand": _list("Hay, Muuto, Vitra, Ikea, Ercol, Habitat"),
        "material": _list("oak, walnut, pine, leather, velvet, linen, rattan, marble, steel, glass"),
        "room": _list("living room, bedroom, dining room, hallway, nursery, kitchen"),
        "delivery": _list("in stock, 2 weeks, 8 weeks"),
    },
    compared=_list(
        "bigger, smaller, lower, higher, darker, lighter, a higher back, wider arms, thinner legs, "
        "shorter legs, softer, deeper, narrower, wider, rounder, more modern, more rustic, less bulky, "
        "simpler, cosier, a darker wood, lighter wood, brighter, thicker, longer"
    ),
    parts=_list("arms, legs, drawers, wheels, cushions, handles, doors, buttons, fringe, glass, pattern, armrests"),
)
