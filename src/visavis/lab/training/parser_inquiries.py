"""Questions, orders and changes of mind, made up where writers' situations leave a gap.

"How many dogs do I have?" is about the collection though a picture is in hand, "which of them have a baby?" narrows the
results, "newest first" is an order though nothing has a date, "forget the giraffes, zebras" looks for zebras, "thanks"
answers no question. For whom a thing is meant is no look of it, and "men's" is a filter where the collection knows it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import get_args

from visavis.lab.datasets.talk import Row
from visavis.lab.training import parser_phrases as say
from visavis.lab.training.parser_situations import THINGS, bare
from visavis.lab.training.parser_trades import COLOURS, FASHION, HOME
from visavis.language.base import question_about
from visavis.language.commands import (
    Answer,
    Ask,
    Avoid,
    Chat,
    Command,
    Compare,
    Count,
    Filter,
    Forget,
    Keep,
    Recolor,
    Refine,
    Search,
    Select,
    Shown,
    Sort,
    This,
    commands_text,
)
from visavis.language.commands.talk import ChatKind
from visavis.language.context import Attribute, Context, NumberRange
from visavis.types import Question


class InquiryTalk:
    """Endless rows.

    Args:
        seed: The same seed gives the same rows.
        rows: Rows to borrow collections, topics and questions from.
    """

    def __init__(self, seed: int, rows: Sequence[Row] = ()) -> None:
        self._chance = random.Random(seed)
        self._shops = [row.context.attributes for row in rows if len(row.context.attributes) >= 3]
        self._asked = [row.context for row in rows if row.context.question and row.context.turns]
        self._nouns = [pair for trade in (FASHION, HOME) for pair in trade.nouns]
        self._parts = sorted({part for trade in (FASHION, HOME) for part in trade.parts})

    def rows(self) -> Iterator[Row]:
        """Rows, one kind after the other by chance."""
        kinds = (
            (self.counted, 14), (self.narrowed, 12), (self.ordered, 9), (self.turned, 13), (self.given, 9),
            (self.audience, 10), (self.painted, 12), (self.thanked, 6), (self.stocked, 10), (self.alike, 6),
            (self.lacking, 7), (self.questioned, 7), (self.compared, 5),
        )  # fmt: skip
        while True:
            yield self._chance.choices([kind for kind, _ in kinds], [share for _, share in kinds])[0]()

    def _shop(self, *without: str) -> Mapping[str, Attribute]:
        """The attributes of some collection, or none; without those whose name has one of these words."""
        if not self._shops or self._chance.random() < 0.4:
            return MappingProxyType({})
        shop = self._chance.choice(self._shops)
        return MappingProxyType({n: v for n, v in shop.items() if not any(word in n.lower() for word in without)})

    def _context(self, topic: str, picture: bool, attributes: Mapping[str, Attribute] | None = None) -> Context:
        chance = self._chance
        shop = self._shop("colo", "kind", "type", "categ") if attributes is None else attributes
        shown, columns = chance.choice((12, 12, 12, 24, 24, 1, 5)), chance.choice((0, 4, 4, 3, 6))
        context = Context(turns=chance.randint(1, 8), shown=shown, columns=columns, topic=topic, picture=picture)
        return replace(context, attributes=shop)

    def _thing(self) -> str:
        """A subject, of photos or of shops, without an article."""
        chance = self._chance
        if chance.random() < 0.5:
            return bare(chance.choice(THINGS))
        noun = chance.choice(chance.choice(self._nouns))
        return f"{chance.choice(COLOURS)} {noun}" if chance.random() < 0.3 else noun

    def _several(self) -> str:
        while not (found := self._thing()).endswith("s"):
            pass
        return found

    def _topic(self, unlike: str = "") -> str:
        """What was searched for, with further wishes now and then; no word of it is in another text."""
        chance = self._chance
        words = set(unlike.lower().split())
        while words & set((found := self._thing()).lower().split()):
            pass
        wishes = chance.sample(say.WISHES, chance.choice((0, 0, 1, 2)))
        return ", ".join((found, *(wish for wish in wishes if not words & set(wish.split()))))

    def _noun(self, article: bool = True) -> str:
        """One thing that is sold, with looks at times."""
        chance = self._chance
        one, many = chance.choice(self._nouns)
        look = chance.choice(("", "", "", "nice ", "small ", "warm ", "simple ", f"{chance.choice(COLOURS)} "))
        noun = look + one
        return noun if not article or one == many else f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

    def counted(self) -> Row:
        """How many there are in the collection, among the results, or in the picture in hand."""
        chance = self._chance
        kind, thing = chance.random(), self._several()
        if kind < 0.45:
            form = chance.choice(say.ALL)
            said = thing
            if "{} photos" in form or "{} pictures" in form:
                said = thing.removesuffix("s") if not thing.endswith("ss") else thing
            elif chance.random() < 0.25:
                said = f"{thing} or {self._topic(thing).split(',')[0]}"
            return Row(form.format(said), self._context(self._topic(thing), chance.random() < 0.6), (Count(said),))
        if kind < 0.7:
            attributes = self._shop()
            said = thing if chance.random() < 0.4 else chance.choice(COLOURS)
            if chance.random() < 0.4:
                said = f"{said} or {self._topic(said).split(',')[0] if said == thing else chance.choice(COLOURS)}"
            form = chance.choice([form for form in say.OF_RESULTS if (said[:5] == thing[:5]) == ("have" in form)])
            return Row(form.format(said), self._context(self._topic(said), False, attributes), (Count(said),))
        if kind < 0.78:
            return Row(chance.choice(say.LEFT), self._context(self._topic(), False), (Count(),))
        said = chance.choice(say.IN_IT).format(thing)
        return Row(said, self._context(self._topic(thing), True), (Ask(said.rstrip("?")),))

    def narrowed(self) -> Row:
        """Which of the results have something: a wish, or a filter where the collection lists it."""
        chance = self._chance
        if chance.random() < 0.6:
            thing = self._thing()
            spoken = f"a {thing}" if not thing.endswith("s") and chance.random() < 0.7 else thing
            return Row(
                chance.choice(say.WHICH).format(spoken), self._context(self._topic(thing), False), (Refine(thing),)
            )
        colour = chance.choice(COLOURS)
        said = chance.choice(say.WHICH_VALUE).format(colour)
        attributes = self._shop("colo")
        if not attributes or chance.random() < 0.4:
            return Row(said, self._context(self._topic(colour), False, attributes), (Refine(colour),))
        name = chance.choice(("colour", "colour", "color", "baseColour", "Colour"))
        values = tuple(dict.fromkeys((*chance.sample(COLOURS, 6), colour)))
        case = chance.choice((str.lower, str.title))
        listed = {**attributes, name: tuple(map(case, chance.sample(values, len(values))))}
        return Row(said, self._context(self._topic(colour), False, listed), (Filter(name, "=", (case(colour),)),))

    def ordered(self) -> Row:
        """An order, also by what the collection does not tell: the reply says so."""
        chance = self._chance
        forms, order, names = chance.choice(
            (
                (say.NEWEST, "desc", say.DATES), (say.NEWEST, "desc", say.DATES), (say.OLDEST, "asc", say.DATES),
                (say.CHEAPEST, "asc", say.PRICES), (say.CHEAPEST, "asc", say.PRICES), (say.DEAREST, "desc", say.PRICES),
                (say.BEST, "desc", say.RATINGS),
            )
        )  # fmt: skip
        attributes = dict(self._shop(*say.DATES, *say.PRICES, *say.RATINGS, "built", "age", "century", "decade"))
        field = names[0]
        if chance.random() < 0.5:
            field = chance.choice(names)
            numbers = {"year": (1990, 2024), "rating": (1, 5), "stars": (1, 5)}.get(field, (5, 900))
            attributes[field] = () if field == "taken" else NumberRange(*map(float, numbers))
            for other in (say.PRICES[0], "year", "rating"):
                if other not in names and chance.random() < 0.5:
                    attributes[other] = NumberRange(1.0, 300.0)
        names_in_order = chance.sample(list(attributes), len(attributes))
        listed = MappingProxyType({name: attributes[name] for name in names_in_order})
        context = self._context(self._topic(), chance.random() < 0.15, listed)
        return Row(chance.choice(forms), context, (Sort(field, order),))  # type: ignore[arg-type]  # of the table

    def turned(self) -> Row:
        """Another subject in the place of the first one; or another wish in the place of one."""
        chance = self._chance
        picture = chance.random() < 0.25
        if chance.random() < 0.3:
            subject, (old, new) = self._thing(), chance.sample(say.WISHES, 2)
            swapped = chance.random() < 0.4
            said = chance.choice(say.SWAPPED if swapped else say.DROPPED).format(old=old, new=new)
            commands: tuple[Command, ...] = (Refine(new), Forget(old)) if swapped else (Forget(old), Refine(new))
            context = self._context(f"{subject}, {old}", False)
            return Row(said, replace(context, attributes=MappingProxyType({})), commands)
        topic = self._topic()
        old = topic.split(",")[0]
        new = self._topic(topic).split(",")[0]
        if chance.random() < 0.5:
            new += f" {chance.choice(say.TOGETHER)}"
        said = chance.choice(say.TURNED).format(old=old.split()[-1] if chance.random() < 0.5 else old, new=new)
        commands = (Search(new),)
        if chance.random() < 0.25:
            lacking = chance.sample(COLOURS, 2) if chance.random() < 0.5 else chance.sample(self._parts, 1)
            said += " but " + " and ".join(f"no {one}" for one in lacking)
            commands = (*commands, *map(Avoid, lacking))
        return Row(said, self._context(topic, picture), commands)

    def given(self) -> Row:
        """A thing for somebody: who it is for is left out."""
        chance = self._chance
        one, other = self._noun(), self._noun()
        either = chance.random() < 0.5 and one != other
        spoken = f"{one} or {other}" if either else one
        text = f"{bare(one)} or {bare(other)}" if either else bare(one)
        said = chance.choice(say.GIFTS).format(who=chance.choice(say.FOR), x=spoken)
        empty = Context(attributes=self._shop())
        return Row(said, empty if chance.random() < 0.7 else self._context(self._topic(text), False), (Search(text),))

    def audience(self) -> Row:
        """For whom a thing is made: a filter where the collection knows it, words of the search where it does not."""
        chance = self._chance
        kind = chance.choice(("Men", "Men", "Women", "Women", "Boys", "Girls", "Kids"))
        noun = chance.choice([many for _, many in FASHION.nouns])
        look = chance.choice(("", "", "checked ", "striped ", "casual ", f"{chance.choice(COLOURS)} "))
        attributes = dict(self._shop("gender", "sex", "department"))
        phrase = chance.choice(say.AUDIENCES[kind]).format(f"{look}{noun}")
        said = chance.choice(("{}", "{}", "{}", "show me {}", "i need {}", "do you have {}?", "{} please")).format(
            phrase
        )
        if chance.random() < 0.3:
            context = Context(attributes=MappingProxyType(attributes))
            return Row(said, context, (Search(phrase),))
        case = chance.choice((str, str, str.lower))
        values = [case(one) for one in say.AUDIENCES if one == kind or one in ("Men", "Women") or chance.random() < 0.5]
        name = chance.choice(say.AUDIENCE_NAMES)
        attributes[name] = tuple(chance.sample([*values, case("Unisex")], len(values) + 1))
        wanted = Filter(name, "=", (case(kind),))
        if chance.random() < 0.35:
            alone = chance.choice(say.AUDIENCE_ALONE[kind])
            return Row(alone, self._context(f"{look}{noun}", False, attributes), (wanted,))
        commands: tuple[Command, ...] = (Search(f"{look}{noun}"), wanted)
        if chance.random() < 0.25:
            said, commands = f"{said.rstrip('?')}, no {(part := chance.choice(self._parts))}", (*commands, Avoid(part))
        context = Context(attributes=MappingProxyType(attributes))
        again = self._context(self._topic(noun), chance.random() < 0.2, attributes)
        return Row(said, context if chance.random() < 0.6 else again, commands)

    def painted(self) -> Row:
        """A thing in another colour is an edit, though nothing is in hand; results in another colour are a wish."""
        chance = self._chance
        thing, colour = chance.choice(chance.choice(self._nouns)), chance.choice(COLOURS)
        topic = f"{chance.choice(COLOURS)} {thing}" if chance.random() < 0.8 else self._topic(thing)
        attributes = self._shop("colo")
        if chance.random() < 0.25:
            context = self._context(topic, False, MappingProxyType({}) if chance.random() < 0.5 else attributes)
            return Row(chance.choice(say.TINTED_WISH).format(colour), context, (Refine(colour),))
        name = colour.replace(" ", "")
        if chance.random() < 0.5:
            case = chance.choice((str.lower, str.title))
            values = tuple(map(case, chance.sample(COLOURS, 8)))
            attributes = MappingProxyType({**attributes, chance.choice(("colour", "baseColour")): values})
        if chance.random() < 0.3:
            number, form = chance.randint(1, 12), chance.choice(say.PAINTING_ONE)
            said = form.format(nth=say.NTH[number], n=number, thing=thing, colour=colour)
            context = replace(self._context(topic, False, attributes), shown=12)
            if thing not in topic:
                context = replace(context, topic=f"{chance.choice(COLOURS)} {thing}")
            return Row(said, context, (Select(Shown(number)), Recolor(name=name, target=thing)))
        said = chance.choice(say.PAINTING).format(thing=thing, colour=colour)
        context = self._context(topic, chance.random() < 0.3, attributes)
        return Row(said, context, (Recolor(name=name, target=thing),))

    def thanked(self) -> Row:
        """Small talk while a question waits is no answer to it; "no thanks" to a yes or no is."""
        chance = self._chance
        forms, kind = chance.choice(
            ((say.THANKS, "thanks"),) * 4 + ((say.PRAISE, "praise"), (say.BYE, "goodbye"), (say.HELLO, "greeting"))
        )
        assert kind in get_args(ChatKind)
        context = self._context(self._topic(), chance.random() < 0.3)
        if self._asked and chance.random() < 0.5:
            context = chance.choice(self._asked)
        elif chance.random() < 0.7:
            ways: list[tuple[Command, ...]] = [(Refine(self._thing()),), (Search(self._thing()),)]
            text, labels = question_about(ways)
            options = tuple((label, commands_text(way)) for label, way in zip(labels, ways, strict=True))
            drop = f"Shall I drop “{self._thing()}”?"
            asked = Question("Is it more like A or like B?", (("A", "like #1"), ("B", "like #2")))
            question = chance.choice((Question(text, options), Question(drop, (("yes", "reset"), ("no", None))), asked))
            context = replace(context, question=question)
            if question.text == drop and chance.random() < 0.4:
                return Row(
                    chance.choice(("no thanks", "no thank you", "no, thanks", "nope thanks")), context, (Answer("no"),)
                )
        return Row(chance.choice(forms), context, (Chat(kind),))  # type: ignore[arg-type]  # checked

    def stocked(self) -> Row:
        """Whether the collection has a thing is a search, whatever is in hand or asked; what a picture has is not."""
        chance = self._chance
        thing = self._several()
        context = self._context(self._topic(thing), chance.random() < 0.65)
        if chance.random() < 0.3:
            context = replace(
                context, question=Question("I am not sure what you mean.", (("more like #2", "like #2"),))
            )
        return Row(chance.choice(say.STOCK).format(thing), context, (Search(thing),))

    def alike(self) -> Row:
        """Another thing that has an aspect of a picture."""
        chance = self._chance
        thing, number, aspect = self._noun(), chance.randint(1, 12), chance.choice(say.ASPECTS)
        form = chance.choice(say.ALIKE)
        if "{a}" not in form:
            aspect = "colour"
        place = chance.choice((f"number {number}", f"#{number}", f"the {say.NTH[number]} one"))
        source: Shown | This = Shown(number)
        context = replace(self._context(self._topic(thing), chance.random() < 0.3), shown=12)
        if context.picture and chance.random() < 0.5:
            place, source = "this one", This()
        said = form.format(x=thing, p=place, a=aspect)
        text, kept = Search(bare(thing)), Keep(aspect, source)
        return Row(said, context, (kept, text) if form.startswith("a {a}") else (text, kept))

    def lacking(self) -> Row:
        """What should be absent and what should be there, both."""
        chance = self._chance
        part = chance.choice((*self._parts, "a pattern", "people", "text", "clouds", "a logo", "cars", "buttons"))
        wish = chance.choice((*say.WISHES, "plain", "simple", "elegant", "light", "dark", "short", "long", "classic"))
        form = chance.choice(say.LACKING)
        absent, wanted = Avoid(bare(part)), Refine(wish.removeprefix("with "))
        said = form.format(no=bare(part) if "no {no}" in form else part, yes=wish)
        context = replace(self._context(self._topic(f"{part} {wish}"), False), attributes=MappingProxyType({}))
        return Row(said, context, (absent, wanted) if said.index(part[-4:]) < said.index(wish) else (wanted, absent))

    def questioned(self) -> Row:
        """A question about a picture that is pointed at: it is taken in hand first."""
        chance = self._chance
        thing, number = self._several(), chance.randint(1, 12)
        form = chance.choice(say.QUESTIONS)
        if "other" not in form and "many" not in form and "any" not in form and thing.endswith("s"):
            thing = self._noun(article=False)
        asked = form.format(thing)
        where = chance.choice(say.POINTED).format(n=number, nth=say.NTH[number])
        context = replace(self._context(self._topic(thing), chance.random() < 0.3), shown=12)
        text = asked.removesuffix(" are").removesuffix(" is")
        return Row(f"{asked} {where}{chance.choice('? ')}".strip(), context, (Select(Shown(number)), Ask(text)))

    def compared(self) -> Row:
        """Two pictures side by side, one in hand or not."""
        chance = self._chance
        first, second = chance.sample(range(1, 13), 2)
        context = replace(self._context(self._topic(), chance.random() < 0.5), shown=12)
        if chance.random() < 0.6:
            forms = (say.NTH[first], say.NTH[second])
            places = [f"the {n}" for n in forms] if chance.random() < 0.6 else [str(first), str(second)]
            said = chance.choice(say.DIFFERENCE).format(a=places[0], b=places[1])
            return Row(said, context, (Compare((Shown(first), Shown(second))),))
        place = chance.choice((f"the {say.NTH[second]}", f"number {second}", f"the {say.NTH[second]} one"))
        said = chance.choice(say.DIFFERENCE_THIS).format(b=place)
        return Row(said, replace(context, picture=True), (Compare((This(), Shown(second))),))
