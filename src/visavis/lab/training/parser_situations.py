"""Messages whose meaning depends on the situation: made up, since writers seldom meet these situations.

A description said with a picture in hand is a new search and no edit of that picture, "exclude" is about results and
"remove" about the picture, another subject is searched for and not added, a number that is said wins over "a bit", the
half that is cropped is kept and the half that is cut off goes. What is said to a list of readings may be none of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_phrases import CORRECTED, FREED, TAKEN, phrases
from visavis.language.base import question_about
from visavis.language.commands import (
    AdjustAttr,
    Answer,
    Avoid,
    Chat,
    Clarify,
    Command,
    Crop,
    Edit,
    Forget,
    Like,
    Refine,
    Remove,
    Reset,
    Search,
    Select,
    Shown,
    Values,
    commands_text,
    parse_command,
)
from visavis.language.context import Context
from visavis.language.english import ORDINALS
from visavis.types import Question

THINGS = phrases(
    "dogs|cats|black cats|horses|cars|red cars|buses|trains|trucks|bicycles|motorbikes|boats|planes|people|"
    "children|men|women|a man|a woman|a girl|a boy|birds|cows|sheep|elephants|zebras|giraffes|bears|flowers|trees|"
    "houses|churches|bridges|clocks|umbrellas|kites|surfers|skiers|skateboarders|tennis players|football players|"
    "cakes|pizza|fruit|sandwiches|kitchens|bedrooms|sofas|desks|laptops|phones|books|street signs|traffic lights|"
    "fire hydrants|benches|teddy bears|a white dog|an old man|two kids|brown horses|yellow taxis|a wooden table|"
    "wine glasses|tourists|crowds|text|logos|snow|puddles|fences|sunglasses|hats|mountains|lakes|waterfalls|"
    "markets|castles|statues|balloons|lamps|vases"
)
_PLACES = phrases(
    "on the beach|in the snow|in a field|on a street|at night|in the rain|in a kitchen|by a lake|on a table|in a park|"
    "under a tree|in front of a church|on a hill|in the city|at the station|on a boat|in the water|at sunset|"
    "next to a car|on the grass|in the mountains|in a living room|at a market|in the forest|on a bench"
)
_ASKING = phrases(
    "{}|{}|{}|{}|{}|show me {}|find {}|now {}|pictures of {}|photos of {}|i want to see {}|let's see {}|looking for {}|"
    "{} please|next: {}|search for {}|do you have {}|ok now {}|can you show me {}|i need {}"
)
_EXCLUDING = phrases(
    "exclude the {}|exclude {}|skip the {}|leave out the ones with {}|none with {}|not the ones with {}|"
    "no pictures with {}|don't show me {}|hide the ones with {}|no more {}|enough {}|filter out the {}|exclude all {}|"
    "exclude anything with {}|no results with {}|show me ones without {}"
)
#: ... which would be about the picture, were one in hand.
_WITHOUT = phrases("no {}|no {} please|without {}|i don't want {}|leave out the {}|hide the {}|but no {}|lose the {}")
_REMOVING = phrases(
    "remove the {}|erase the {}|get rid of the {}|take out the {}|delete the {}|take the {} out of the picture|"
    "paint over the {}|retouch the {} away|make the {} disappear|remove the {} from this picture|edit out the {}"
)
_ANOTHER = phrases(
    "are there any {} too?|any {} too?|any {} as well?|do you also have {}?|and {}?|what about {}?|how about {}?|"
    "are there {} too|are there also {}|is there anything with {} instead|do you have {} as well?|{} then|ok, {} then|"
    "are there any {}?|do you have any {}?|now the same for {}|something else: {}|show me other things: {}"
)
_AMONG = phrases(
    "any of these with {}?|are there any with {}?|any with {} in them?|are there some with {} too?|"
    "do any of them have {}?|only those with {}|the ones with {}|with {} too|with {} as well|and with {}|"
    "there should be {} too|{} should be in it as well|also {}|and some {} too|{} as well|plus {}|{} too please"
)
_SIDES = {"left": "right", "right": "left", "top": "bottom", "bottom": "top", "upper": "bottom", "lower": "top"}
_HALVES = phrases(
    "crop the {}|crop to the {}|crop it to the {}|crop {}|keep the {}|keep only the {}|just the {}|only the {}|"
    "i only need the {}|crop so only the {} is left|show only the {}|crop everything but the {}|leave only the {}|"
    "crop in on the {}|trim it to the {}|cut it down to the {}|crop the picture to its {}|give me the {}"
)
_CUT_OFF = phrases(
    "cut off the {}|cut the {} off|crop out the {}|chop off the {}|trim off the {}|crop away the {}|cut away the {}|"
    "lose the {}|drop the {}|get rid of the {}|remove the {}|crop off the {}|take the {} off|slice off the {}"
)
#: How much of an attribute is said, its name, and whether it becomes more.
_CHANGES = (
    ("brighter", "brightness", 1),
    ("darker", "brightness", -1),
    ("more contrast", "contrast", 1),
    ("less contrast", "contrast", -1),
    ("more saturation", "saturation", 1),
    ("less saturated", "saturation", -1),
    ("more colour", "saturation", 1),
    ("warmer", "warmth", 1),
    ("cooler", "warmth", -1),
    ("sharper", "sharpness", 1),
    ("softer", "sharpness", -1),
    ("more brightness", "brightness", 1),
    ("lighter", "brightness", 1),
    ("more vivid", "saturation", 1),
)
_BEFORE = phrases(
    "a bit|a little|a little bit|slightly|a touch|just a bit|a lot|much|way|a tad|somewhat|make it a bit|"
    "make it a little|could it be a bit|can you make it slightly|i want it a bit|needs to be a bit"
)
_AMOUNT = phrases(
    ", like {}|, say {}|, maybe {}|, {}| by {}|, by {}| - {}|, {} or so|, like by {}|, i'd say {}| ({})|... {}"
)
_UNTOLD = phrases(
    "brand|material|size|price|designer|photographer|camera|year|country|season|style|shape|pattern|artist|fabric|"
    "rating|weight|origin|genre|city|maker|discount|shop|collection|model|finish|age group"
)
_WHICH = phrases(
    "which {}s|which {}s do you have?|what {}s are there?|what {}s do you carry|which {}s are there|list the {}s|"
    "what kinds of {} are there|which {}?|show me all {}s|tell me the {}s|what {}s can i choose from?|"
    "what are the {}s|any particular {}s?|which {}s can i get"
)
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_NOT_ASIDE = (Answer, Clarify, Chat, Reset)


class SituationTalk:
    """Endless rows.

    Args:
        seed: The same seed gives the same rows.
        rows: Rows to borrow messages and collections from.
        captions: Descriptions of pictures.
    """

    def __init__(self, seed: int, rows: Sequence[Row] = (), captions: Sequence[str] = ()) -> None:
        self._chance = random.Random(seed)
        self._captions = captions
        self._rows = [row for row in rows if self._aside(row)]
        self._shops = [row.context.attributes for row in rows if len(row.context.attributes) >= 3]

    @staticmethod
    def _aside(row: Row) -> bool:
        """Whether a row may be said beside a question."""
        known = row.commands and not row.context.question and row.context.turns
        return bool(known) and not any(isinstance(command, _NOT_ASIDE) for command in row.commands)

    def rows(self) -> Iterator[Row]:
        """Rows, one kind after the other by chance."""
        kinds = [(self.described, 24), (self.excluded, 14), (self.another, 14), (self.half, 10), (self.amount, 16)]
        kinds += [(self.taken, 6), (self.corrected, 8)]
        if self._rows:
            kinds.append((self.unasked, 16))
        if self._shops:
            kinds += [(self.untold, 6), (self.freed, 8)]
        while True:
            yield self._chance.choices([kind for kind, _ in kinds], [share for _, share in kinds])[0]()

    def _context(self, topic: str = "", picture: bool | None = None) -> Context:
        chance = self._chance
        in_hand = chance.random() < 0.6 if picture is None else picture
        edits = tuple(map(parse_command, chance.choice(((), (), (), ("adjust_attr brightness 20",), ("grayscale",)))))
        return Context(
            turns=chance.randint(1, 7),
            shown=chance.choice((12, 12, 12, 24, 1)),
            columns=chance.choice((0, 4, 4, 3)),
            topic=topic,
            picture=in_hand,
            edits=tuple(edit for edit in edits if isinstance(edit, Edit)) if in_hand else (),
        )

    def _described(self) -> str:
        """What a picture may show."""
        chance = self._chance
        if self._captions and chance.random() < 0.4:
            words = chance.choice(self._captions).split()
            if len(words) <= 9:
                return " ".join(words)
        thing = chance.choice(THINGS)
        return f"{thing} {chance.choice(_PLACES)}" if chance.random() < 0.8 else thing

    def _other(self, text: str) -> str:
        """A subject that shares no word with a text."""
        words = set(text.lower().split())
        while True:
            found = bare(self._described() if self._chance.random() < 0.5 else self._chance.choice(THINGS))
            if not words & set(found.lower().split()):
                return found

    def described(self) -> Row:
        """A description is a search, also with a picture in hand."""
        text = self._described()
        said = self._chance.choice(_ASKING).format(text)
        return Row(said, self._context(self._other(text)), (Search(bare(text)),))

    def excluded(self) -> Row:
        """Results without a thing, or the picture in hand without it."""
        chance = self._chance
        thing = bare(chance.choice(THINGS))
        topic = f"{thing.split()[-1]} {chance.choice(_PLACES)}" if chance.random() < 0.4 else self._other(thing)
        if chance.random() < 0.3:
            said = chance.choice(_REMOVING).format(thing)
            return Row(said, self._context(topic, picture=True), (Remove(target=thing),))
        said = chance.choice(_EXCLUDING).format(thing)
        context = self._context(topic)
        if not context.picture and chance.random() < 0.4:
            said = chance.choice(_WITHOUT).format(thing)
        return Row(said, replace(context, shown=max(context.shown, 12)), (Avoid(thing),))

    def another(self) -> Row:
        """Another subject is a search; what the results should have besides is a wish."""
        chance = self._chance
        thing = bare(chance.choice(THINGS))
        topic = self._other(thing)
        among = chance.random() < 0.45
        said = chance.choice(_AMONG if among else _ANOTHER).format(thing)
        command: Command = Refine(thing) if among else Search(thing)
        return Row(said, self._context(topic, picture=False), (command,))

    def half(self) -> Row:
        """The part that is cropped is kept; the part that is cut off goes."""
        chance = self._chance
        side = chance.choice(tuple(_SIDES))
        size = chance.choice(("half", "half", "half", "third", "part", "side"))
        if chance.random() < 0.6:
            return Row(
                chance.choice(_HALVES).format(f"{side} {size}"),
                self._context("", picture=True),
                (Crop(target=f"{side} {size}"),),
            )
        left = "two thirds" if size == "third" else size
        return Row(
            chance.choice(_CUT_OFF).format(f"{side} {size}"),
            self._context("", picture=True),
            (Crop(target=f"{_SIDES[side]} {left}"),),
        )

    def amount(self) -> Row:
        """A number that is said is the amount, whatever "a bit" would be."""
        chance = self._chance
        change, name, sign = chance.choice(_CHANGES)
        number = chance.choice((5, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80))
        shown = chance.choice((f"{number}%", f"{number}%", f"{number}", f"{number} percent", f"{number} %"))
        before = f"{chance.choice(_BEFORE)} " if chance.random() < 0.75 else ""
        said = f"{before}{change}{chance.choice(_AMOUNT).format(shown)}"
        amount = AdjustAttr(name=name, amount=float(sign * number))  # type: ignore[arg-type]  # a name of the table
        return Row(said, self._context("", picture=True), (amount,))

    def unasked(self) -> Row:
        """What is said to a list of readings may be none of them, though it has words of theirs."""
        chance = self._chance
        row = chance.choice(self._rows)
        words = re.findall(r"[a-z]{4,}", row.message.lower())
        ways: list[tuple[Command, ...]] = []
        for _ in range(chance.choice((1, 2, 2, 3))):
            text = chance.choice(words) if words and chance.random() < 0.7 else bare(chance.choice(THINGS))
            place = Shown(chance.randint(1, max(1, row.context.shown or 12)))
            way: Command = chance.choice((Search(text), Refine(text), Avoid(text), Like(place), Select(place)))
            if (way,) not in ways and (way,) != row.commands:
                ways.append((way,))
        text, labels = question_about(ways)
        options = tuple((label, commands_text(way)) for label, way in zip(labels, ways, strict=True))
        return replace(row, context=replace(row.context, question=Question(text, options)), also=())

    def taken(self) -> Row:
        """A number alone takes a picture."""
        chance = self._chance
        number = chance.randint(1, 12)
        nth = next(word for word, value in ORDINALS.items() if value == number)
        spoken = chance.choice((str(number), str(number), _NUMBERS[number - 1]))
        context = replace(self._context(self._other(""), picture=chance.random() < 0.2), shown=12)
        return Row(chance.choice(TAKEN).format(n=spoken, nth=nth), context, (Select(Shown(number)),))

    def corrected(self) -> Row:
        """Who corrects a description means the second one."""
        chance = self._chance
        old = self._described()
        new = self._other(old)
        article = f"a {new}" if chance.random() < 0.3 and not new.endswith("s") else new
        context = Context() if chance.random() < 0.7 else self._context(self._other(f"{old} {new}"), picture=False)
        return Row(chance.choice(CORRECTED).format(old=old, new=article), context, (Search(new),))

    def freed(self) -> Row:
        """A filter that does not count any more."""
        chance = self._chance
        shop = chance.choice(self._shops)
        name = chance.choice([name for name in shop if name.isalpha()] or ["price"])
        topic = self._other("")
        if chance.random() < 0.3 and isinstance(values := shop.get(name), tuple) and values:
            topic += f", {name} = {chance.choice(values)}"
        context = replace(self._context(topic, picture=False), attributes=shop)
        return Row(chance.choice(FREED).format(name.lower()), context, (Forget(name.lower()),))

    def untold(self) -> Row:
        """An attribute that the collection does not have is asked for by its own name."""
        chance = self._chance
        name = chance.choice(_UNTOLD)
        shop = chance.choice(self._shops)
        kept = {at: values for at, values in shop.items() if name.split()[0] not in at.lower()}
        asked = chance.choice(_WHICH).format(name)
        asked = re.sub(r"(?<=[^aeiou])ys\b", "ies", asked)
        context = replace(self._context(self._other(""), picture=False), attributes=MappingProxyType(kept))
        return Row(asked, context, (Values(name),))


def bare(text: str) -> str:
    """A text without its article."""
    return re.sub(r"^(?:an?|the) ", "", text, flags=re.IGNORECASE)
