"""What people say of a picture in hand, put into the words that the rules know.

Beginners complain ("it looks flat"), photographers use words of their own ("some bokeh"), and both name
the use they have for a picture ("for my story"). A table reads them; what it makes of them the rules read.
"""

from __future__ import annotations

import re

from visavis.language.lexicon import colours

_COLOURS = "|".join(sorted(colours(), key=len, reverse=True))
_PICTURE = r"(?:pictures?|images?|photos?|shots?|snaps?)"
_IT = rf"(?:it|this one|that one|this|that|(?:the|this|that|my) {_PICTURE}|the whole (?:thing|{_PICTURE}))"
#: "it's", "the picture still looks", or nothing at all: a complaint needs no more than what is wrong.
_LOOKS = (
    rf"(?:(?:hmm+|no|but|well|oh|honestly|sorry)[ ,]+)?(?:(?:i (?:think|find|feel)(?: that)? )?"
    rf"(?:it's|it is|its|this is|that's|this looks|it looks|it seems|looks|seems|{_IT} (?:is|looks|seems|came out|"
    rf"turned out|feels)) )?"
)
_VERY = r"(?:(?:still|just|really|rather|quite|pretty|so|very|kind of|sort of|somewhat|all) )*"
_BIT = r"(?P<bit>(?:(?:a (?:little |tiny |wee )?)?(?:bit|little|touch|tad|shade) |slightly |somewhat ))?"
_FAR = r"(?P<far>(?:far|way|much|a lot|waaay|super|extremely) )?"
_TASTE = (
    r"(?: (?:for (?:me|my taste|my liking|that|this)|now|here|to me|i think|isn't it|in (?:general|places)|"
    r"on the whole|"
    r"overall|by (?:a lot|far|miles)|all over|everywhere))*"
)

#: What is wrong with a picture, and what puts it right.
_WRONG: tuple[tuple[str, str], ...] = (
    (r"(?:dark|dim|underexposed|under-exposed|gloomy|murky|shadowy)", "brighter"),
    (r"(?:bright|light|overexposed|over-exposed|blown out|glaring)", "darker"),
    (r"(?:flat|dull|washed[ -]out|faded|hazy|foggy|milky|lifeless|bland|boring)", "more contrast"),
    (r"(?:contrasty|harsh|hard|strong in contrast)", "less contrast"),
    (r"(?:colou?rful|saturated|oversaturated|garish|gaudy|loud|vivid|neon)", "less saturation"),
    (r"(?:pale|colou?rless|desaturated|grey|drab)", "more saturation"),
    (r"(?:yellow|yellowish|orange|warm|reddish)", "make it BIT cooler"),
    (r"(?:cold|cool|blue|bluish|icy|clinical)", "make it BIT warmer"),
    (r"(?:blurry|blurred|soft|unsharp|fuzzy|out of focus|smooth)", "sharpen it BIT"),
    (r"(?:sharp|crisp|oversharpened)", "soften it BIT"),
)
_PARTS_WRONG: tuple[tuple[str, str], ...] = (
    (
        r"(?:the |its )?colou?rs? (?:is|are|look)s? (?:DEGREE)?(?:too )?(?:strong|loud|intense|garish|bright|much|"
        r"vivid)",
        "less saturation",
    ),
    (
        r"(?:the |its )?colou?rs? (?:is|are|look)s? (?:DEGREE)?(?:too )?(?:weak|dull|pale|faded|flat|washed out|dead|"
        r"lifeless|grey)",
        "more saturation",
    ),
    (r"(?:the |there's |there is )?(?:too much|less) contrast", "less contrast"),
    (
        r"(?:the |there's |there is )?(?:not enough|too little|more) contrast|(?:it )?(?:lacks|needs) contrast",
        "more contrast",
    ),
    (
        r"(?:not enough|too little) light|(?:i )?(?:can't|can hardly|can barely) see (?:a thing|anything|much)(?:,.*)?",
        "make it brighter",
    ),
)
#: Only these are complaints without "too": "it's dark" may describe what to look for.
_ALWAYS_WRONG = re.compile(
    r"underexposed|under-exposed|overexposed|over-exposed|blown out|flat|dull|washed[ -]out|faded|hazy|foggy|milky|"
    r"lifeless|bland|contrasty|oversaturated|desaturated|bluish|yellowish|reddish|blurry|blurred|unsharp|fuzzy|"
    r"out of focus|murky|gloomy|garish|soft"
)
#: What a picture is for, and the shape it has there.
_STORY = (
    r"(?:instagram |insta |facebook |whats ?app |snapchat )?(?:stor(?:y|ies)|reels?|status)|tik ?tok|shorts?|"
    r"(?:i?phone|mobile|lock) ?(?:wallpaper|screen|background)s?"
)
_WIDE = r"you ?tube|thumbnail|(?:desktop|computer) (?:wallpaper|background)|tv|slides?|presentations?|powerpoint"
_FOR = (
    rf"(?:make|crop|format|cut|prepare|get|turn|fit)?(?: {_IT})?"
    r"(?: (?:fit|ready|suitable|work|good|the right (?:size|shape)))*(?: (?:for|to|as|into))(?: (?:my|a|an|the))?"
)

Table = tuple[tuple[re.Pattern[str], str], ...]


def _table(*rows: tuple[str, str]) -> Table:
    return tuple((re.compile(pattern), usual) for pattern, usual in rows)


_TABLE = _table(
    # light and colour
    (rf"^(?:make {_IT} |{_LOOKS}(?:should be |could be )?)?twice as bright$", "increase the brightness by 100 percent"),
    (rf"^(?:make {_IT} |{_LOOKS}(?:should be |could be )?)?half as bright$", "decrease the brightness by 50 percent"),
    (rf"^(?:make {_IT} )?twice as (sharp|warm|saturated|colou?rful)$", r"make it 100 percent more \1"),
    (rf"^(?:make {_IT} )?half as (saturated|colou?rful)$", "decrease the saturation by 50 percent"),
    (r"^(?:tone|turn|take) (?:it|the colou?rs?) down\b", "less saturation"),
    (rf"^(?:(?:it|{_IT}) )?(?:needs|wants|could (?:use|do with)|lacks|give it|add|with|has no)(?: (?:some|a bit of|"
     rf"a bit|"
     r"more|extra|a little))*(?: more)? (?:punch|oomph|pop|bite|snap|depth|definition)$", "more contrast"),
    (rf"^(?:i'd like {_IT} |make {_IT} |give it )?(?:look |be )?(?:an? )?(?:more )?(?:moodier|moody|dramatic|"
     rf"darker mood)"
     r"(?: (?:look|feel|mood))?$", "decrease the brightness by 10 and increase the contrast by 20"),
    (rf"^(?:i'd like {_IT} |make {_IT} )?(?:look )?(?:more )?(?:dreamy|dreamier|soft focus|romantic)$|^soft focus$",
     "soften it"),
    (rf"^(?:(?:it|{_IT}) )?(?:needs|wants|(?:could )?use|could do with|lacks)(?: (?:some|a bit|a bit of|a little|"
     rf"a touch of))*"
     r"(?: more)? light$", "make it a bit brighter"),
    (r"^(?:i want|i'd like|i need|i would like) (?P<thing>the \w+(?: \w+)?) to be (?:a bit |a little |much )?"
     rf"(?P<how>\w+er|more (?:{_COLOURS}))$", r"make \g<thing> \g<how>"),
    (r"^(?:do something about|work on|help with|improve) (?:the |its )?(?:colou?rs|light|lighting|"
     r"look)$", "enhance it"),
    (r"^keep (?:turning|rotating|spinning)(?: it)?$", "do it again"),
    (r"^(?:bring|make) (?:the |its )?colou?rs (?:to life|alive|out)(?: more)?$", "more saturation"),
    (r"^warm (?:it|this|things) up\b", "make it warmer"),
    (r"^cool (?:it|this|things) (?:down|off)\b", "make it cooler"),
    (r"^(?:an? )?auto(?:matic(?:ally)?)?(?: (?:mode|fix|enhance|adjust(?:ment)?|correct(?:ion)?|levels))?$",
     "enhance it"),
    (rf"^(?:just |please )*make {_IT} (?:look )?(?:good|nice|better|nicer|prettier|beautiful|professional|great)$",
     "enhance it"),
    (r"^(?:fix|improve|correct|sort out) (?:the |its )?(?:light|lighting|exposure|colou?rs|white balance|levels)$"
     r"|^make (?:it|this|this one|that one) pop$|^(?:do )?(?:your|some) magic$", "enhance it"),
    (rf"^(?:no|without(?: any)?|lose the|kill the|all) colou?rs?$|^colou?rless$|^make {_IT} colou?rless$|^bw$|^mono$",
     "make it black and white"),
    (rf"^(?:a |the |as a |in |make {_IT} (?:look )?(?:like )?a )?negative$", "invert the colours"),
    (rf"^(?:give {_IT} |with |add |make {_IT} (?:look )?(?:in )?)?(?:an? |some )?(?:old[ -]?tim(?:ey|y|e)|old|ancient|"
     rf"retro|"
     rf"vintage|antique|nostalgic|aged|1920s|victorian)(?: (?:photo|photograph|film|camera))?(?: (?:look|feel|style|"
     rf"vibe|effect|filter|"
     rf"touch))$", "make it sepia"),
    (rf"^make {_IT} look (?:really |very )?(?:ancient|vintage|retro|antique|old|aged)$", "make it sepia"),
    (rf"^make (?:everything|it all) (?=\w+er$|more (?:{_COLOURS})$)", "make it "),
    (rf"^({_COLOURS}) (?:filter|tint|tinge|cast|overlay|wash)\b", r"tint it \1"),
    (rf"^(?:can|could|should|may) (?P<thing>the \w+(?: \w+)?) be (?P<how>\w+er|more (?:{_COLOURS}))$",
     r"make \g<thing> \g<how>"),
    # the background
    (rf"^(?:with |have )?(?:an? |plain |solid |pure |all )*((?:light|dark|pale) )?({_COLOURS}) (?:background|"
     rf"backdrop)$",
     r"make the background \1\2"),
    (rf"^(?:the )?(?:background|backdrop)(?: colou?r)?(?: to| in| into|:| =) (?:an? )?((?:light|dark|"
     rf"pale) )?({_COLOURS})$",
     r"make the background \1\2"),
    (r"^(?:an? |with an? |the )?(?:out[ -]of[ -]focus|blurr(?:y|ed)|soft|fuzzy) (?:background|backdrop)$",
     "blur the background"),
    (r"^hide (?=(?:the|his|her|their|all) (?:\w+ )?(?:faces?|eyes|number|plates?|names?|address)\b)", "blur "),
    (r"^(?:(?:some|add|with|give it|make it|apply|use)(?: an?| some)? )?(?:nice )?(?:bokeh|portrait mode|"
     r"portrait effect|shallow (?:depth of field|focus)|depth of field|dof|"
     r"narrow depth of field)(?: effect)?$", "blur the background"),
    (r"^(?:make|have|let) the (?!colou?rs?\b|picture\b|photo\b|image\b)(\w+) (?:stand out|pop)(?: (?:more|a bit))?$",
     "blur the background"),
    (r"^(?:anonymi[sz]e|censor|obscure|mask out|black out) (?=(?:the|his|her|all|every|that|those|their) \w)", "blur "),
    (r"^(?:take away|remove|delete|erase|lose|get rid of|drop) everything (?:but|except(?: for)?|around|besides|"
     r"other than) "
     r"((?:the |her |his |my )[\w' -]+)$", r"cut out \1"),
    (r"^(?:leave|keep)(?: only| just) ((?:the |her |his |my )(?!top|bottom|left|right|upper|lower)[\w' -]+?)"
     r"$", r"cut out \1"),
    (rf"^(?:can|could|may|shall) (?:we|i) have (?:an? )?((?:plain |solid )?(?:{_COLOURS}) (?:background|backdrop))$",
     r"put it on a \1"),
    # moving
    (rf"^{_LOOKS}(?:a bit |a little |a tad |still |too |so |slightly )*(?:tilted|crooked|not (?:straight|level)|"
     rf"slanted|wonky|askew|"
     rf"leaning|skewed)(?: to the (?:left|right))?$", "straighten it"),
    (rf"^(?:{_IT}|the horizon) (?:is (?:crooked|slanted|tilted|not (?:straight|level))|leans|slants|tilts)"
     rf"(?: (?:a bit|to the (?:left|right)|slightly))*$", "straighten it"),
    (r"^(?:turn|put|make|rotate|get|stand) it (?:the )?(?:right way (?:up|round)|upright)$|^(?:it should be |"
     r"turn it )?the other way (?:up|round)$", "rotate it"),
    (r"^(?:reverse|flip|swap|turn|switch) (?:it|this) left[ -](?:to[ -])?right$", "mirror it"),
    (rf"^{_LOOKS}(?:lying |turned )?(?:on (?:its|the|her|his) side|sideways|the wrong way (?:up|round)|rotated)$",
     "rotate it"),
    (rf"^{_LOOKS}upside[ -]down(?: again)?$", "rotate it by 180 degrees"),
    (r"^(?:make|have|let) (?:it|him|her|them|the \w+) (?:look|face|point|go|walk|run)(?:ing)? (?:in )?(?:to )?(?:the )?"
     r"(?:other (?:way|direction|side)|opposite (?:way|direction))$", "mirror it"),
    (r"^(?:swap|switch|exchange) (?:the )?left and (?:the )?right(?: sides?)?$", "mirror it"),
    # the part that stays
    (rf"^(?:make {_IT} |crop {_IT} |into )?(?:an? |to a )?(?:square|quadratic)(?: (?:shape|format|crop|{_PICTURE}))?$|"
     rf"^square (?:it|this)(?: off| up)?$",
     "crop it to a square"),
    (r"^(?:cut|trim|chop|crop)\b.* square$", "crop it to a square"),
    (rf"^(?:make|turn) {_IT} (?:into )?(?:an? )?(\d{{1,2}} ?: ?\d{{1,2}})(?: (?:portrait|landscape|"
     rf"format))?$", r"crop it to \1"),
    (rf"^(?:make (?:{_IT} )?|give me |i want |i need |turn {_IT} into |crop (?:to )?)?(?:an? )?(?:head ?shot|"
     rf"mug ?shot)$",
     "crop to the face"),
    (rf"^(?:make {_IT} |crop {_IT} |in |to |into )*(?:an? )?(?:wide ?screen|landscape|cinematic|cinema|panoramic)"
     rf"(?: (?:format|shape|mode|orientation|crop|ratio))?$", "crop it to 16:9"),
    (rf"^(?:make {_IT} |crop {_IT} |in |to |into )*(?:an? )?(?:portrait|upright|vertical)"
     rf"(?: (?:format|shape|orientation|crop|ratio))$", "crop it to 4:5"),
    (rf"^{_FOR} (?:{_STORY})(?: format)?$", "crop it to 9:16"),
    (rf"^{_FOR} (?:instagram|insta|facebook|social media|twitter|pinterest|a post|my feed|tinder)(?: posts?)?$",
     "crop it for a post"),
    (rf"^{_FOR} (?:{_WIDE})$", "crop it to 16:9"),
    (rf"^{_FOR} (?:profile|avatar|profile (?:photo|picture)|linkedin|icon|cover of an album)$", "crop it to a square"),
    (rf"^{_FOR} (?:passport|id|visa)(?: {_PICTURE}| card)?$", "crop it to 7:9"),
    (r"^(?:go |get |move |come |a )?(?:closer|close[ -]?up|nearer|tighter)(?: in)? (?:on|to|of) "
     r"(?=(?:the|her|his|their|my|that) \w)", "crop to "),
    (r"^(?:zoom|focus|concentrate)(?: in)?(?: on| to| into| onto) "
     r"(?=(?:the|her|his|their|my|that) (?!first|second|third|fourth|fifth|last|left one|right one)\w)", "crop to "),
    (r"^(?:crop|cut|trim|take|shave) (?:about )?(?P<share>\d{1,2}) percent (?:off|from|of|away from) (?:each|every|"
     r"all|both|the)"
     r" (?:sides?|edges?|four sides|four edges)$", r"crop off each side \g<share>"),
    (r"^(?:i )?(?:just|only|(?:just |only )?(?:keep|leave|show|need|want)(?: me)?(?: only| just)?) (?:only |"
     r"just )?(the (?:top|"
     r"bottom|left|right|upper|lower|middle)"
     r"[\w -]*? (?:half|thirds?|quarters?|part|corner))$", r"crop to \1"),
    (rf"^(?:put|draw|add) (?:an? )?(?:(?P<px>\d{{1,4}}) ?(?:px|pixels?) )?(?P<how>(?:thin |"
     rf"thick )?(?:{_COLOURS})? ?)line around {_IT}$",
     r"add a \g<px> pixel \g<how> border"),
    # size
    (rf"^(?:make|turn) {_IT} (?:into )?(?=\d{{2,5}} ?x ?\d{{2,5}}$)", "resize it to "),
    (rf"^(?:make {_IT} )?(?:small|light|little) enough (?:to|for) (?:be )?(?:e-?mail|mail|send|sent|upload|attach|"
     r"share|post|the web|web)(?:ed|ing)?(?: it)?$", "resize it"),
    (r"^(?:in|at) (?:full ?hd|1080p)$|^make it (?:full ?hd|1080p)$", "resize it to 1920x1080"),
    # what was there before
    (r"^cut (?:away|off|out) everything (?:but|except|around|besides) (?:the )?(\w+)$", r"cut out the \1"),
    (rf"^(?:a (?:bit|touch|hint|little) of|some) ({_COLOURS}) (?:over|on) (?:it|this|the picture)$", r"tint it \1"),
    (r"^(\d{1,2} ?: ?\d{1,2})$", r"crop it to \1"),
)  # fmt: skip

#: What asks for nothing but a nod.
_TAG = re.compile(
    r"[ ,]+(?:isn't it|innit|(?<=, )(?:right|no)|don't you think|you know|eh|huh|tbh|imo|to be honest|if you ask me|"
    r"i'd say)[ ?!.]*$"
)
_AND_NOW = re.compile(r"^(?:(?:and|then|also|now|ok|okay|so|next)[ ,]+)+(?=\w)")
_TOUCH = re.compile(r"^(?:a tad|a touch|a smidge|somewhat|a notch|a hair) (?=(?:more|less) \w|\w+er\b)")
_FAR_MORE = re.compile(r"^(?:way|far|a good bit) (?=(?:more|less) \w|\w+er\b)")
_COMPLAINTS = tuple(
    (
        re.compile(rf"^{_LOOKS}{_BIT}{_VERY}{_FAR}(?P<too>too )?{_VERY}(?P<what>{wrong}){_TASTE}(?:,.*)?$"),
        right,
    )
    for wrong, right in _WRONG
)
_PARTS = tuple(
    (re.compile(rf"^{pattern.replace('DEGREE', _VERY[:-1] + '|a bit |much |way |far ')}{_TASTE}$"), right)
    for pattern, right in _PARTS_WRONG
)


def reword_photo_talk(text: str) -> str:
    """A clause about the picture in hand, in usual words.

    >>> reword_photo_talk("it looks a bit washed out"), reword_photo_talk("portrait mode")
    ('a bit more contrast', 'blur the background')
    """
    text = _AND_NOW.sub("", text)
    text = _FAR_MORE.sub("much ", _TOUCH.sub("a bit ", _TAG.sub("", text)))
    for pattern, usual in _TABLE:
        changed = " ".join(pattern.sub(usual, text, count=1).split())
        if changed and changed != text:
            return changed
    return _put_right(text)


def _put_right(text: str) -> str:
    for pattern, right in _PARTS:
        if pattern.match(text):
            return right
    for pattern, right in _COMPLAINTS:
        found = pattern.match(text)
        if not found or not (
            found["too"] or found["bit"] or (_ALWAYS_WRONG.fullmatch(found["what"]) and _speaks_of_it(text, found))
        ):
            continue
        degree = "a lot " if found["far"] else "a bit " if found["bit"] or right.endswith("er") else ""
        if "BIT" in right:
            return right.replace("BIT ", degree).replace(" BIT", f" {degree}".rstrip())
        return f"make it {degree}{right}" if right in ("brighter", "darker") else f"{degree}{right}"
    return text


def is_complaint(text: str) -> bool:
    """Whether a clause only says what is wrong with the picture."""
    bare = text.strip(" .!?,")
    return _put_right(bare) != bare


def _speaks_of_it(text: str, found: re.Match[str]) -> bool:
    """Whether more is said than the bare word, which may be a wish: "blurry" or "flat"."""
    return not text.startswith(found["what"])
