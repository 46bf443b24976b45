"""Small talk and nonsense: recognised so that nothing is searched for."""

from __future__ import annotations

import re

from visavis.language.commands import Chat
from visavis.language.commands.talk import ChatKind
from visavis.language.lexicon import things, word_ranks
from visavis.language.rules.scene import Reading, Scene, read

_TAIL = (
    r"(?:[ ,]+(?:there|assistant|everyone|all|again|please|you|to you|so much|very much|a lot|man|mate|"
    r"buddy|dear|then|now|thanks|thank you|friend|for (?:that|this|your help|the help|helping(?: me)?)|"
    r"indeed|really|sir|visavis))*[ .!?,:;)(*-]*"
)
_ADVERB = (
    r"(?:(?:very|so|really|quite|pretty|absolutely|just|simply|too|extremely|truly|much|looks?|looking|is|"
    r"are|was|the|a|such|all|wow|oh|and|yes|it|this(?! one)|that(?! one)|that's|it's|its|these|they|i'm|"
    r"im|what a|how|you are|you're|your|feeling|seems?|work)\b[ ,.!]*)*"
)
_PRAISE = (
    r"(?:nice|great|good|perfect|lovely|beautiful|awesome|wonderful|amazing|excellent|fantastic|cool|cute|"
    r"pretty|superb|brilliant|fine|better|best|gorgeous|stunning|"
    r"delicious|yummy|funny|adorable|fabulous|classy|impressive|incredible|neat|sweet|wow|happy|amused|"
    r"amusing|scary|blessed|smart|clever|not bad|marvellous|hilarious|pleased|refreshing|colou?rful|tasty|right|"
    r"correct|exactly|spot on|well done)"
)
_NOUN = (
    r"(?:[ ,]*(?:one|image|picture|photo|job|work|stuff|pick|choice|shot|result|results|ones|images|"
    r"pictures|place|colou?r|assistant|guy|again|too|now|enough|indeed|to me|with this|by this|as well|"
    r"than before|done|much))*"
)
#: "I don't care" with no question waiting: nothing is wished for, and nothing is wrong.
INDIFFERENT = (
    r"(?:i )?(?:really |just )?(?:don't|do not|couldn't|could not) (?:really )?(?:care|mind|know)(?: (?:either way|"
    r"at all|less|anymore|really|much))?|(?:it |that )?(?:really )?(?:doesn't|does not|don't) "
    r"(?:really )?matter(?: (?:to me|"
    r"at all|much))?|(?:whatever|whichever)(?: (?:you (?:like|want|think|prefer)|works|is fine))?|"
    r"(?:any(?:thing)?|either|everything|all of (?:them|these))(?: (?:is|are|will|would be))? (?:fine|ok|okay|good|"
    r"do|goes|works)(?: (?:for|by|with) me)?|(?:i(?:'ve| have) |have )?no (?:real )?(?:preference|opinion|idea|clue)s?|"
    r"(?:it's |that's )?(?:up to you|your (?:choice|call))|you (?:choose|decide|pick)|i'm (?:easy|not sure|fine either "
    r"way)|(?:it's |it is )?all the same to me|dunno|idk|not sure|who cares|makes no difference(?: to me)?|same to me"
)
_KINDS: tuple[tuple[ChatKind, str], ...] = (
    (
        "greeting",
        rf"(?:hi+|hello+|hey+|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|greetings|"
        rf"how are you(?: doing)?|what's up|nice to meet you){_TAIL}",
    ),
    (
        "thanks",
        rf"(?:(?:ok|okay|great|perfect|nice|cool|yes|awesome|many|oh|good|alright|no)[ ,.!]+)*(?:thanks?|"
        rf"thank you|cheers|much (?:appreciated|obliged)|i appreciate (?:it|that)|thank you (?:very|so) much|"
        rf"grateful){_TAIL}",
    ),
    (
        "goodbye",
        rf"(?:(?:ok|okay|thanks|alright)[ ,.!]+)*(?:bye|goodbye|good ?bye|good night|see (?:you|ya)(?: later|"
        rf" soon| tomorrow)?|farewell|that's (?:all|it)(?: for (?:now|today))?|that will be all|i'm done|cya|"
        rf"quit|exit|i'm leaving){_TAIL}",
    ),
    (
        "help",
        rf"(?:(?:please|i need(?: some)?|can you|could you|some)[ ,]+)*(?:help(?: me)?(?: out)?|"
        rf"what (?:kinds? of things |sorts? of things |things |else )?can (?:you|i) (?:do|say|ask)(?: (?:here|"
        rf"for me|you|for))?|how does (?:this|it) work|what (?:are you|"
        rf"do you do|is this)|what's (?:this|that)|(?:can|do) you (?:speak|understand|talk|know) "
        rf"(?:any )?(?:english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|hindi|arabic|russian|"
        rf"polish|turkish|other languages)|who are you|"
        rf"how (?:do|can|to) (?:i )?(?:use|start|begin|search|work)(?: (?:this|it|you))?|"
        rf"instructions|who (?:made|built|wrote|are) you|are you (?:a |an )?(?:human|robot|bot|ai|real)|"
        rf"what(?:'s| is| do you see)(?: shown)? (?:in|on) (?:this|that|the) (?:picture|image|photo)|"
        rf"who(?:'s| is| are(?: these| they)?)(?: that| this)?(?: (?:in|on) (?:this|that|the) (?:picture|image|photo))|"
        rf"(?:where|when) (?:was|is) (?:this|that|it)(?: (?:picture|image|photo))? (?:taken|shot|made|from)|"
        rf"describe (?:this|it|the (?:picture|image|photo))|how many(?: pictures| images| photos| results| of them)?"
        rf"(?: are there| do you have)?|"
        rf"what are my options|what should i (?:do|say)|i'm lost){_TAIL}",
    ),
    (
        "summary",
        rf"(?:so[ ,]+)?(?:what (?:have i|did i|have we|did we) (?:ask(?:ed)?|said|say|tell|told|wanted|want|done|do|"
        rf"changed?|edited?)(?: (?:you|for))*(?: so far)?|"
        rf"what (?:are|were) (?:all )?my (?:wishes|requests|criteria|filters)(?: so far)?|"
        rf"what(?:'s| is) (?:in )?(?:my|the) brief|where (?:are|were) we(?: (?:now|again))?|"
        rf"(?:show|tell|remind) me (?:of )?(?:my|the) (?:brief|wishes|criteria)|"
        rf"what (?:are you|do you) (?:looking|searching|look|search) for|"
        rf"(?:sum it up|recap|summary|summari[sz]e)){_TAIL}",
    ),
    (
        "praise",
        rf"{_ADVERB}{_PRAISE}{_NOUN}(?:[ ,.!]+{_ADVERB}{_PRAISE}{_NOUN})*{_TAIL}|(?:yes[ ,.]+)?i (?:really |"
        rf"just |do |simply |also |kinda |do really )*(?:love|like|adore|enjoy)(?: (?:it|that|this|them|these|"
        rf"those))?(?: (?:a lot|so much|very much|now|too|better))?{_TAIL}|you(?:'re| are) (?:(?:so|very|"
        rf"really|a) )*(?:good|funny|great|smart|clever|the best|awesome|amazing|funny guy|"
        rf"good assistant){_TAIL}|(?:good|great|nice|well) (?:done|job|work){_TAIL}|"
        rf"(?:(?:lol|rofl|lmao|ha(?:ha)+|he(?:he)+|xd)[ ,.!]*)+{_TAIL}",
    ),
    (
        "complaint",
        rf"{_ADVERB}(?:terrible|awful|bad|ugly|horrible|rubbish|useless|stupid|wrong|disappointing|disgusting|"
        rf"boring|nonsense|crap){_NOUN}{_TAIL}|(?:no[ ,.]+)?(?:that's|this is|that was|it's) not (?:what|it|"
        rf"right|correct|quite)\b.*|(?:no[ ,]+)?(?:i )?(?:don't|do not|didn't) like (?:it|this|that|them|these|"
        rf"any of (?:these|them)){_TAIL}|you (?:don't|do not|didn't) (?:understand|get).*|"
        rf"(?:these|those|they|that|this|it)(?:'s| is| are) (?:(?:even|much|a lot|far) )?worse{_TAIL}|"
        rf"(?:i'm )?not (?:happy|satisfied|good|great|nice|helpful){_TAIL}",
    ),
    (
        "agreement",
        rf"(?:(?:yes|yeah|yep|yup|ya|sure|ok|okay|k|alright|all right|of course|definitely|certainly|right|"
        rf"exactly|go ahead|do it(?! again)|please do|yes please|fine|agreed|sounds good|that works|it does|"
        rf"yes it does|yes it is|it is|absolutely|why not|no problem|go for it|roger|proceed|"
        rf"(?:hmm*[ ,.]*)?(?:let me (?:think|see)(?: about (?:it|that))?|(?:one|just a) (?:moment|second|sec|minute)|"
        rf"wait|hang on|hold on)|"
        rf"see (?:the difference|how it looks)|bingo|give (?:it )?a try|try (?:that|it)|that (?:should|will|"
        rf"would) work|no worries|do it (?:for|on|to) (?:the )?(?:entire|complete|whole) (?:image|picture)|"
        rf"apply (?:it|this|that)(?: colou?r)?(?: (?:on|to) (?:the |it|this )?(?:image|picture)?)?|"
        rf"go ahead with (?:the )?(?:complete|entire|whole) (?:image|picture)|make (?:it|that) (?:for|"
        rf"on) (?:the )?entire image|change it|it indeed is|i do|it does work)[ ,.!]*)+{_TAIL}",
    ),
    (
        "agreement",
        rf"(?:(?:oh|well|really|ok|okay|honestly)[ ,.]+)*(?:{INDIFFERENT})(?:[ ,.!]+(?:{INDIFFERENT}))*{_TAIL}",
    ),
    (
        "refusal",
        rf"(?:(?:no|nope|nah+|na+h?|not really|never ?mind|no thanks|no thank you|not now|cancel|forget it|"
        rf"forget that|not at all|no need|stop|don't|neither)[ ,.!]*)+{_TAIL}",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_SYMBOLS = re.compile(r"[^a-z0-9]*(?:(?:xd|lol|rofl|haha+|hehe+|hm+|uh+|um+|oh+|ah+|d)[^a-z0-9]*)*")
_VOWEL = re.compile(r"[aeiouy]")


def chat_kind(text: str) -> ChatKind | None:
    """What kind of small talk a clause is, or None when it says something."""
    text = text.strip()
    for kind, pattern in _COMPILED:
        if pattern.fullmatch(text):
            return kind
    return "nonsense" if _SYMBOLS.fullmatch(text) or is_gibberish(text) else None


def is_gibberish(text: str) -> bool:
    """Whether no word of a text is a word."""
    words = re.findall(r"[a-z]{2,}", text)
    if not words:
        return not re.search(r"\d", text)
    ranks = word_ranks()
    known = [
        w for w in words if w in ranks or w.removesuffix("s") in ranks or any(w in thing for thing in _long_things(w))
    ]
    return not known and (len(words) > 1 or not _looks_like_word(words[0]))


def _long_things(word: str) -> list[str]:
    return [thing for thing in things() if word in thing] if len(word) > 3 else []


def _looks_like_word(word: str) -> bool:
    """A single unknown word may be a name; one without vowels or with a run of consonants is a slip of the hand."""
    return bool(_VOWEL.search(word)) and not re.search(r"[^aeiouy]{5,}", word) and len(word) < 20


def small_talk(scene: Scene) -> Reading | None:
    """Read "thanks!", "hello", "asdfgh"."""
    kind = chat_kind(scene.text)
    return read(Chat(kind), confidence=0.95) if kind else None
