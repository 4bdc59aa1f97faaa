"""What people ask for in English, as patterns in the order in which they are tried.

Their groups are the intent's arguments.
"""

_TODO = r"(?:to-?dos?|tasks?|reminders?)"
_TODOS = r"(?:to-?dos|tasks|reminders|(?:to-?do|task)s? list)"
_SHOW = r"(?:show|list|give|get|display|see|read|tell)(?: me)?(?: all)?(?: of)?"
_WHEN = (
    r"(?:(?P<today>\btoday\b|\btonight\b)|(?P<tomorrow>\btomorrow\b)|(?P<overdue>\boverdue\b|\blate\b|\bpast "
    r""
    r"due\b)|(?P<week>\bweek\b))"
)
_END = r"[\s.!?]*$"

PATTERNS: tuple[tuple[str, str], ...] = (
    # What says outright what it is.
    ("add_todo", rf"^(?:new )?{_TODO}\s*:\s*(?P<task>.+)"),
    ("make_note", r"^(?:new )?note\s*:\s*(?P<content>.+)"),
    ("add_todo", r"^(?:do not|don't) forget (?:to )?(?!that\b|about\b)(?P<task>.+)"),
    # What is to be kept in mind, and what was: before "don't …" and before questions to the notes.
    (
        "remember",
        r"^(?:(?:do not|don't) forget|remember|memori[sz]e|keep in mind|bear in "
        r"mind)(?:(?: this| the following)?\s*:|,? that)\s+"
        r"(?P<content>(?!.*\?\s*$).+)",
    ),
    ("remember", r"^remember,? (?P<content>(?:i|i'm|i've|my|our|we|we're)\b(?!.*\?\s*$).+)"),
    (
        "recall",
        r"^(?:what|which things?) (?:do|did|can) you (?:still "
        rf")?(?:remember|recall)(?: (?:about|of|from|on))?(?P<words>[^?]*){_END}"
        rf"|^what do you know about (?P<words2>me|myself|us){_END}",
    ),
    (
        "recall",
        r"^do you (?:still )?(?:remember|recall)(?: anything| something)?(?: "
        rf"(?:about|of|on))? (?P<words>[^?]+){_END}",
    ),
    (
        "recall",
        r"^(?:what|when|have|did) (?:did |have )?(?:we|i) (?:ever |last |already "
        r"|just )?(?:talked|talk|speak|spoken|chatted|chat)"
        r"(?: (?:to|with) you)?(?: about| of)?(?! "
        rf"(?:with|to)\b)(?P<words>(?!.*\b(?:with|at the|in the meeting)\b)[^?]*){_END}",
    ),
    (
        "recall",
        r"^(?:what|when|have|did) (?:did |have )?i (?:ever |last |already |just "
        r")?(?:tell|told|ask|asked) you(?: (?:about|of|on))?"
        rf"(?P<words>[^?]*){_END}",
    ),
    (
        "recall",
        r"^(?:search|look (?:in|through)|check) (?:your memory|our "
        rf"(?:conversations|chats|talks))(?: (?:for|about))? (?P<words>[^?]+){_END}",
    ),
    # No, and help, before any intent.
    ("leave", r"^(?:no,? )?(?:please )?(?:do not|don't|never)\b(?! (?:i|we|you|they|have i)\b)"),
    (
        "leave",
        r"^(?:you (?:do not|don't) (?:need|have) to|no need to|there's no need|forget "
        r"(?:it|about it|that)\b|stop\b[\s.!]*$|cancel[\s.!]*$)",
    ),
    (
        "leave",
        r"^i (?:do not|don't) (?:want|need) "
        r"(?:an?|any|you|it|that|this|the)\b(?!.*\?)|^cancel (?:that|it|this)[\s.!]*$",
    ),
    ("help", rf"^(?:help|help me|\?|commands|can you help(?: me)?){_END}"),
    (
        "help",
        r"^(?:what|which things) (?:can|could) you (?:do|help)|^what are you able "
        r"to|^how (?:does this|do you) work|^who are you\b|^what are you\b",
    ),
    (
        "help",
        r"^how (?:can|could|do) you help|^what do you do\b|^what(?:'s| is| are) your (?:features|"
        r"capabilities|skills|commands|functions|job)|^(?:show|list)(?: me)? (?:your "
        r"|all )?commands",
    ),
    (
        "thanks",
        r"^(?:(?:great|ok|okay|perfect|nice|cool|wonderful|super)[,!.]? )?(?:many "
        r")?(?:thanks|thank "
        rf"you|thx|cheers)\b(?: .{{0,20}})?{_END}",
    ),
    ("thanks", rf"^(?:great|ok|okay|perfect|nice|cool|wonderful|well done|good job){_END}"),
    (
        "greet",
        r"^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)(?: "
        rf"there| hearth| you)?{_END}",
    ),
    # Todos to add.
    (
        "add_todo",
        r"^remind me (?:to |that |about |of "
        r")?(?!what\b|where\b|when\b|who\b|how\b|which\b|why\b)(?P<task>.+)",
    ),
    (
        "add_todo",
        r"^(?:remember to|i (?:need|have|ought|got) to|i must|i've got "
        r"to)\s+(?!know\b|find out\b|see\b|understand\b)(?P<task>.+)",
    ),
    (
        "add_todo",
        rf"^(?:add|create|make|set|set up|new|enter|schedule)(?: up)?(?: me)? (?:(?:a|an|another|"
        rf"the) )?(?:new )?{_TODO}\b\s*(?:to |that |for |:|,|called |named )?\s*(?P<task>.+)",
    ),
    (
        "add_todo",
        r"^(?:add|put|write|enter)\s+(?P<task>.+?)\s+(?:to|on|onto|in|into) (?:my "
        r"|the |our )?(?:list "
        rf"of |\w+ )?(?:{_TODOS}|(?:to-?do|task)s?){_END}",
    ),
    ("add_todo", r"^make sure (?:that )?(?:i |to |i'll )(?P<task>.+)"),
    (
        "add_todo",
        r"^(?:todo|to-do|task|reminder)\s+(?!lists?\b|to(?:day|morrow)\b|this\b|next\b|due\b|overdue\b|"
        r"for\b|about\b|app\b)(?P<task>\S.*[^?\s])[\s.!]*$",
    ),
    # Todos that are said to be done, before what one cannot do.
    (
        "complete_todo",
        r"^i(?:'ve| have)? (?:already |just )*\w+ (?P<words>[^?]+?)[,;.]? (?:so |and "
        r"|please )*(?:mark|"
        r"check|tick) (?:it|that|this) (?:as |off)? ?(?:done|complete|completed|finished)?[\s.!]*$",
    ),
    (
        "complete_todo",
        r"^(?!when\b|if\b|what\b|who\b|which\b|how\b|why\b|where\b|is\b|are\b|mark\b|note\b|write\b)(?P<words>[^?:]{2,80}) "
        r""
        r""
        r"(?:is|are) (?:now |already )?(?:done|finished|completed)[\s.!]*$",
    ),
    ("complete_todo", r"^(?:i'm |i am )?(?:done|finished) with (?P<words>.+)"),
    (
        "complete_todo",
        r"^(?:check|tick|cross|strike)\s+(?P<words>.+?)\s+(?:off|out)(?: (?:of |from "
        r")?(?:my|the) (?:to-?do )?(?:list|todos|tasks))?[\s.!]*$",
    ),
    ("complete_todo", r"^i (?:already |just )?did (?P<words>[^?]+)$"),
    # What is not done here.
    (
        "undo",
        r"^(?:undo|revert|take (?:that|it) "
        r"back)\b|^(?:delete|remove|erase|trash|wipe|discard|throw away|clear|get rid "
        r"of)\b",
    ),
    # Notes to write.
    (
        "append_note",
        r"^(?:append|add|attach|put|write)\s+(?P<text>.+?)\s+(?:to|into|in|onto|at the "
        r"end of) (?:the |my |our )?note (?P<target>.+)",
    ),
    (
        "append_note",
        r"^(?:append|add|attach|put|write)\s+(?P<text>.+?)\s+(?:to|into|in|onto|at the "
        r"end of) (?:the "
        r"|my |our )?(?P<target>[^:]+?(?: note| list)[\s.!]*)$",
    ),
    ("append_note", r"^(?:append|add) to (?P<target>[^:]{1,120}?)\s*:\s*(?P<text>.+)"),
    (
        "append_note",
        r"^(?:append|add|write)(?: a line| an item| an entry| this| something) to "
        r"(?P<target>[^:]{1,120}?)\s*:\s*(?P<text>.+)",
    ),
    ("append_note", r"^append\s+(?P<text>.+?)\s+to\s+(?P<target>.+)"),
    (
        "make_note",
        r"^(?:create|make|write|add|take|new|start|jot down|save)(?: me)?(?: down)? "
        r"(?:(?:a|an|another) "
        r")?(?:new |quick |short )?note\b\s*(?:(?:called|titled|named|with the "
        r"title)\s*(?P<title>[\"“][^\"”]+[\"”]|"
        r"[^:]+)(?:\s*:\s*(?P<content>.+))?|(?:about |that |saying |:|,)?\s*(?P<content2>.+))",
    ),
    (
        "make_note",
        r"^(?:note|note down|write down|jot down|record)(?: "
        r"that)?\s*[:,]?\s+(?P<content>(?!.*\?\s*$).+)",
    ),
    # Todos that are done.
    (
        "complete_todo",
        r"^(?:mark|set|check)\s+(?P<words>.+?)\s+(?:as |to "
        r")?(?:done|completed?|finished|off)[\s.!]*$",
    ),
    (
        "complete_todo",
        r"^(?:complete|finish|tick off|check off|tick|close|cross off|cross "
        rf"out)\s+(?:(?:the|my) )?(?:{_TODO} )?(?P<words>.+)",
    ),
    (
        "complete_todo",
        r"^i(?:'ve| have)?(?: just| already| now)* (?:finished|completed|done)(?: "
        r"with)? (?P<words>.+)",
    ),
    (
        "complete_todo",
        rf"^(?:the |my )?(?P<words>.+?) {_TODO} (?:is|are) (?:now "
        r")?(?:done|completed?|finished)[\s.!]*$",
    ),
    # Order.
    (
        "replan",
        r"^(?:replan|re-plan|reschedule|spread|redistribute|postpone|move)\b.*\b(?:overdue|late|to-?dos|tasks|everything)\b|^replan\b",
    ),
    ("pin_note", r"^(?P<unpin>un)?pin\s+(?P<target>.+)"),
    (
        "move_note",
        r"^(?:move|file|put|place)\s+(?P<target>.+?)\s+(?:to|into|in|under)\s+(?:the "
        r"|my )?folder\s+(?P<folder>.+)",
    ),
    (
        "move_note",
        r"^(?:move|file|put|place)\s+(?P<target>.+?)\s+(?:to|into|in|under)\s+(?:the "
        r"|my )?(?P<folder>.+?)\s+folder[\s.!]*$",
    ),
    ("move_note", r"^(?:move|file)\s+(?P<target>.+?)\s+(?:to|into|under)\s+(?P<folder>.+)"),
    # The day, and what is long.
    (
        "day",
        r"^(?:what does|how does|what's|how is|how's|what is) my day\b|^(?:give me "
        r")?(?:a |my |the )?brief(?: me|ing)\b|^(?:today|my day)[\s.!?]*$",
    ),
    (
        "day",
        r"^(?:give me |show me )?(?:my |the |a )?(?:daily|morning|today's) "
        r"(?:briefing|brief|summary|overview)\b",
    ),
    (
        "day",
        r"^(?:sum up|summari[sz]e|plan|(?:give me )?(?:an? )?(?:overview|summary) "
        r"(?:of|for))\s+(?:my "
        r"day|today|the day)\b|^what's (?:up|on|happening) today",
    ),
    (
        "summarise",
        r"^(?:summari[sz]e|sum up|(?:give me )?(?:an? |the )?(?:short |quick |brief )?(?:summary|"
        r"gist|overview|outline) of|tl;?dr(?: of)?:?)\s+(?:the |my |all )?(?:notes in )?(?:the |"
        r"my )?folder\s+(?P<folder>.+)",
    ),
    (
        "summarise",
        r"^(?:summari[sz]e|sum up|tl;?dr(?: of)?:?)\s+(?:the |my "
        r")?(?P<folder>.+?)\s+folder[\s.!?]*$",
    ),
    (
        "summarise",
        r"^(?:summari[sz]e|sum up|(?:give me )?(?:an? |the )?(?:short |quick |brief )?(?:summary|"
        r"gist|overview|outline) of|tl;?dr(?: of)?:?)\s+(?P<target>.+)",
    ),
    ("summarise", r"^what(?:'s| is) (?:the |my )?note (?P<target>[^?]+?) about[\s?]*$"),
    # Lists.
    (
        "list_folders",
        rf"^(?:(?:{_SHOW} )?(?:my |the |all )*folders|(?:what|which) folders (?:do i "
        rf"have|are there|exist)){_END}",
    ),
    (
        "list_todos",
        rf"^(?:what|which) (?:{_TODOS}) (?:have i|did i|i have) (?:already "
        r")?(?P<completed>complete|"
        rf"finish|done|do\b)|^(?:{_SHOW} )?(?:my |the "
        rf")?(?P<completed2>completed|finished|done) {_TODOS}",
    ),
    (
        "list_todos",
        rf"^(?:{_SHOW} |what are )?(?:my |the )?(?P<priority>high[- "
        rf"]priority|urgent|(?:most )?important|top[- ]priority) {_TODOS}",
    ),
    (
        "list_todos",
        rf"^(?:{_SHOW} |which (?:of )?|what |any )?(?:my |the |open )*{_TODOS}(?: do i have| are "
        r"there)? (?:(?:are )?(?:about|on|for|with|regarding)|(?:that "
        r")?(?:mentions?|contains?))\s+(?!to(?:day|"
        rf"morrow)\b|this\b|the week\b|next\b)(?P<words>.+)",
    ),
    (
        "list_todos",
        rf"^(?!.*\b(?:did|does|said) (?!i\b))(?:{_SHOW}|what(?:'s| is| are| do i have| "
        r"have i got)?|"
        r"which|any|my|give|how many|do i have(?: any)?|is there|are there(?: "
        rf"any)?|(?=(?:{_TODOS})\b)|"
        rf"anything)\b.*?(?:\b{_TODOS}\b|\bdue\b|\boverdue\b|\bon my list\b|\bto "
        rf"do\b(?! list\b)).*?{_WHEN}",
    ),
    ("list_todos", rf"^(?:anything|what's|what is|which are|what) (?:is |are )?{_WHEN}{_END}"),
    ("list_todos", rf"^(?:{_TODOS}|due|overdue)\b.{{0,20}}?{_WHEN}|^(?P<overdue2>overdue){_END}"),
    (
        "list_todos",
        rf"^(?!.*\b(?:did|does|said) (?!i\b))(?:{_SHOW}|what(?:'s| are)|which|any|do i "
        r"have(?: any)?|"
        rf"are there(?: any)?|how many)\s+(?:of )?(?:my |the |open |all |on )*{_TODOS}\b",
    ),
    ("list_todos", rf"^(?:my )?(?:open )?{_TODOS}{_END}"),
    (
        "list_todos",
        r"^what (?:do i have to do|should i (?:do|work on|start with)|have i got to do|is there "
        r"(?:left )?to do|needs doing)\b(?:.*?" + _WHEN + ")?",
    ),
    (
        "list_todos",
        rf"^(?:{_SHOW} |what(?:'s| is| are) |do i have |are there )?(?:anything |any "
        r"|my |the )*(?P<priority>urgent|"
        rf"important|high[- ]priority) {_TODOS}",
    ),
    (
        "list_todos",
        rf"^(?:what|which) (?:open |other |more )?{_TODOS}\b(?! "
        r"(?:did|does|has|was|were|app|apps)\b)",
    ),
    (
        "list_todos",
        rf"^(?:{_SHOW} |what's |what is |anything |is there anything )(?:on |in "
        rf")?(?:my |the )?(?:plate|agenda|schedule|list)\b.*?{_WHEN}",
    ),
    ("list_todos", rf"^{_SHOW} (?:what's |what is |everything |all )?{_WHEN}{_END}"),
    (
        "list_todos",
        r"^(?:what(?:'s| is)|which (?:to-?dos|tasks) are|anything|is anything|what(?: do i have)?|"
        r"show me what's) due (?:on |by |at )?(?P<day>[^?]{3,40}?)[\s?.!]*$",
    ),
    (
        "list_todos",
        rf"^(?:{_SHOW} )?(?:my |the )*(?:upcoming|next|remaining|pending|outstanding) "
        rf"{_TODOS}{_END}",
    ),
    (
        "list_notes",
        r"^(?:what|which) notes (?:do i have|are there|have i (?:got|made))\b|^what (?:did|have) "
        r"i (?:write|written|edit|edited|change|changed|work on|worked on) "
        r"(?:recently|lately|today|"
        r"yesterday|this week|last)\b",
    ),
    (
        "list_notes",
        rf"^(?:{_SHOW} |open )?(?:my |the |all )*(?:recent |latest |newest |last "
        rf"|pinned )?notes{_END}",
    ),
    (
        "list_notes",
        rf"^(?:(?:what|which) notes (?:are|do i have|lie)|{_SHOW} (?:the |my |all )*notes) (?:in|"
        rf"inside|of|under) (?:the |my )?(?:folder )?(?P<folder>.+?)(?: folder)?{_END}",
    ),
    # Finding.
    (
        "find_notes",
        r"^(?:find|search|look up|look for|search for|look in|grep)\s+(?:me )?(?:(?:in |through "
        r")?(?:all |my |the |any )*notes?\s*(?:for|about|on|that "
        r"mention|mentioning|with|containing|"
        r":)?\s+|for )?(?P<words>.+)",
    ),
    (
        "find_notes",
        r"^(?:which|what) (?:of my )?notes (?:that )?(?:mention|contain|are about|talk "
        r"about|deal with|speak of|have)\s+(?P<words>.+)",
    ),
    (
        "find_notes",
        r"^(?:do i have |are there |is there |have i )?(?:any |some )?notes? "
        r"(?:on|about|mentioning|regarding)\s+(?P<words>.+)",
    ),
    (
        "find_notes",
        r"^where (?:did|have) i (?:write|written|mention|mentioned|note|noted)(?: "
        r"down)?(?: something| anything)? about (?P<words>.+)",
    ),
    (
        "find_notes",
        r"^(?:all |my |the )*notes? "
        r"(?:about|on|tagged|mentioning|with|regarding|containing|that "
        r"mention)\s+(?P<words>[^?]+)",
    ),
    (
        "find_notes",
        rf"^{_SHOW} (?:everything|all|anything|my notes|the notes|notes|what i "
        r"have)(?: i have| there "
        rf"is)?(?: on| about| mentioning| for)\s+(?P<words>.+)",
    ),
    # What needs more than rules.
    (
        "cannot",
        r"(?:^|[.?!]\s+)(?:write|generate|code|compose|draft|create|make|build|fix|debug|program)\b(?: "
        r""
        r"me)?\b.{0,60}?\b(?:scripts?|"
        r"programs?|code|poem|song|essay|story|joke|function|regex|sql|query|e-?mail|letter|app|"
        r"website|speech|haiku|article)\b",
    ),
    (
        "cannot",
        r"^(?:send|e-?mail|text|message|book|buy|order|call|phone|translate|play|draw|paint|calculate|"
        r"compute|download|install|run|execute|post|tweet|pay|explain)\b",
    ),
    (
        "cannot",
        r"^(?:what's|what is|how's|how is|how will|what will) (?:the "
        r")?(?:weather|temperature outside|"
        r"news|time in|exchange rate|stock)\b|^tell me a (?:joke|story)\b",
    ),
)
