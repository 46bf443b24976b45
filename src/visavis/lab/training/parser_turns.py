"""Going back to what an earlier turn showed, described by its wishes; and cropping to a thing or the thing away.

Which turn is described is looked up (``visavis.language.references``) and told to the network; that a message wants to
go there, and what it wants beside that, is learned from these.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from visavis.lab.datasets.talk import Row
from visavis.lab.training import parser_phrases as say
from visavis.lab.training.parser_situations import THINGS, bare
from visavis.lab.training.parser_trades import COLOURS, FASHION, HOME
from visavis.language.commands import Command, Crop, More, Refine, Rollback, Search
from visavis.language.context import Context
from visavis.language.references import described_turn

_BACK = say.phrases(
    "go back to the {} ones|back to the {} ones|the {} ones were better|i liked the {} ones more|return to the {} ones|"
    "show me the {} ones again|can we go back to the {} ones?|i preferred the {} ones|hmm, the {} ones again please|"
    "no, the {} ones were nicer|let's go back to {}|back to {} please|take me back to the {} ones|{} was better|"
    "i want the {} ones back, the ones from before|what you showed for {} was better, back to that|"
    "the {} lot again please|can i see the {} ones from earlier again|actually the {} ones were right"
)
_BACK_TO_SUBJECT = say.phrases(
    "go back to the {}|back to the {} please|i liked the {} better|return to the {}|show me the {} again|"
    "can we go back to the {}?|the {} were better|the {} again please|let's return to those {}|no, the {} were nicer|"
    "can i have the {} back|i'd rather go back to the {}|hmm, those {} from before again"
)
_BEFORE = say.phrases(
    "go back to before the {}|the ones before the {}|what we had before the {}|it was better before the {}|"
    "show me those from before the {} again"
)
_AND = say.phrases(" but {}| but this time {}|, and {}| and {} please|, only {}")
#: Words that look back without asking to go there.
_STAYING = say.phrases("that's better, more of these|better than before, show more|nicer than the earlier ones, more")
_SEEN_BACK = say.phrases(
    "seen from the back|from the back|with the back to us|in the back garden|with their back turned"
)
_CROP_AWAY = say.phrases(
    "crop the {} out|crop out the {}|crop the {} away|crop away the {}|crop it so that the {} is gone|"
    "crop the {} out of it|can you crop the {} out?|crop so that the {} isn't in it any more|crop off the {}|"
    "the {} should be cropped out|crop it without the {}"
)
_CROP_TO = say.phrases(
    "crop to the {}|crop it to the {}|crop in on the {}|crop the picture to the {}|crop closer to the {}|"
    "crop around the {}|crop it tight around the {}|crop so that only the {} stays|crop out everything but the {}|"
    "crop away everything except the {}|crop it down to the {}|crop the {}"
)
_SIDES = ("", "", "", " on the left", " on the right", " in the back", " at the bottom", " in the corner")


class TurnTalk:
    """Endless rows.

    Args:
        seed: The same seed gives the same rows.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._subjects = [bare(thing) for thing in THINGS if thing.endswith("s")]
        self._subjects += [many for trade in (FASHION, HOME) for _, many in trade.nouns]
        self._looks = [*COLOURS, *(wish for wish in say.WISHES if len(wish.split()) == 1)]

    def rows(self) -> Iterator[Row]:
        """Rows, one kind after the other by chance."""
        kinds = ((self.returned, 6), (self.stayed, 1), (self.cropped, 2))
        while True:
            row = self._chance.choices([kind for kind, _ in kinds], [share for _, share in kinds])[0]()
            if row is not None:
                yield row

    def _conversation(self) -> tuple[str, ...]:
        """The topics of some turns: a subject with more and more wishes, or other ones, and perhaps another subject."""
        chance = self._chance
        subject, other = chance.sample(self._subjects, 2)
        first, second, third = chance.sample(self._looks, 3)
        return chance.choice(
            (
                (subject, f"{subject}, {first}", f"{subject}, {second}"),
                (subject, f"{subject}, {first}", f"{subject}, {first}, {second}"),
                (subject, f"{subject}, {first}", other),
                (subject, f"{subject}, {first}", f"{subject}, {first}, {second}", f"{subject}, {third}, {second}"),
                (f"{first} {subject}", other, f"{other}, {second}"),
                (subject, other, f"{other}, {first}", f"{other}, {second}"),
            )
        )

    def _context(self, topics: tuple[str, ...]) -> Context:
        chance = self._chance
        shown, columns = chance.choice((12, 12, 20, 24)), chance.choice((0, 4, 4, 5, 6))
        return Context(turns=len(topics), shown=shown, columns=columns, topic=topics[-1], topics=topics)

    def returned(self) -> Row | None:
        """Back to an earlier turn by its look or its subject, or to the one before a wish; with a new wish at times."""
        chance, topics = self._chance, self._conversation()
        at = chance.randrange(len(topics) - 1)
        subject, *wishes = topics[at].split(", ")
        now = topics[-1].split(", ")
        if chance.random() < 0.2 and len(now) > 1:
            said = chance.choice(_BEFORE).format(now[-1])
        elif wishes and chance.random() < 0.7:
            said = chance.choice(_BACK).format(wishes[-1])
        else:
            said = chance.choice(_BACK_TO_SUBJECT).format(subject)
        commands: tuple[Command, ...] = ()
        if chance.random() < 0.2:
            wish = chance.choice(say.WISHES)
            if wish in " ".join(topics):
                return None
            said, commands = said.rstrip("?") + chance.choice(_AND).format(wish), (Refine(wish),)
        turn = described_turn(said, topics)
        return None if turn is None else Row(said, self._context(topics), (Rollback(turn), *commands))

    def stayed(self) -> Row:
        """Words that look back in messages that go nowhere; another subject that was not there before."""
        chance, topics = self._chance, self._conversation()
        if chance.random() < 0.3:
            return Row(chance.choice(_STAYING), self._context(topics), (More(),))
        if chance.random() < 0.4:
            said = chance.choice(_SEEN_BACK)
            return Row(said, self._context(topics), (Refine(said),))
        while (subject := chance.choice(self._subjects)) in " ".join(topics):
            pass
        return Row(f"ok {subject} then", self._context(topics), (Search(subject),))

    def cropped(self) -> Row:
        """To a thing, or the thing away."""
        chance = self._chance
        thing = bare(chance.choice(THINGS)).removesuffix("s") + chance.choice(_SIDES)
        topics = self._conversation()
        context = replace(self._context(topics), picture=True, topics=())
        if chance.random() < 0.5:
            return Row(chance.choice(_CROP_AWAY).format(thing), context, (Crop(target=f"everything but {thing}"),))
        return Row(chance.choice(_CROP_TO).format(thing), context, (Crop(target=thing),))
