"""What people ask for that concerns others.

Their contacts, messages, others' agents and a link to their own, as patterns in six languages.
"""

_END = r"[\s.!?]*$"
_SAYING = r"(?:\s+that\s+|\s+saying(?: that)?:?\s+|\s*:\s*)"
_THAT = rf"(?:{_SAYING}|,\s+)"
_NOBODY = (
    r"(?!(?:me|us|him|her|them|you|it|this|that|these|those|everyone|everybody|anyone|people|someone|somebody|the|my|our|your|a|an|in|on|of|to|all"
    r"|myself|yourself|who|what|when|where|how|why|which|whether|if)\b)"
)
_WHO = rf"{_NOBODY}(?P<who>@?[^\W\d_][^,:;\"“”?!\n]{{0,60}}?)"
_ONE = rf"{_NOBODY}(?P<who>@?[^\W\d_][\w-]{{0,40}})"
_MESSAGE = r"(?:(?:a|another) )?(?:quick |short )?(?:message|text|dm)"

ENGLISH: tuple[tuple[str, str], ...] = (
    (
        "help",
        r"^(?:can|could|do) you (?:also )?(?:send|write|deliver) "
        rf"(?:messages|texts)(?: to (?:people|others|my contacts))?{_END}",
    ),
    (
        "help",
        r"^how (?:do|can|could|would) (?:i|one|you) (?:send|write) (?:a |an "
        r")?(?:messages?|texts?)\b"
        r"|^how (?:do|can|could) i (?:message (?:someone|somebody|people|a "
        rf"contact)|share my agent){_END}",
    ),
    (
        "ask_agent",
        r"^(?:ask|query|contact|check "
        rf"with)\s+{_WHO}(?:'s|s'|')\s+(?:agent|assistant)\b\s*[,:]?\s*(?P<text>.+)",
    ),
    (
        "ask_agent",
        r"^(?:ask|query|contact|message|tell)\s+(?P<who>@?[a-z0-9][a-z0-9_-]{1,31})_coo\b\s*[,:]?\s*(?P<text>.+)",
    ),
    (
        "ask_agent",
        rf"^what (?:does|can|would) {_WHO}'s (?:agent|assistant) (?:know|say|tell me) "
        r"(?P<text>about .+)",
    ),
    ("message", rf"^(?:send|write)\s+{_MESSAGE}\s+to\s+{_WHO}{_THAT}(?P<text>.+)"),
    ("message", rf"^(?:send|write)\s+{_WHO}\s+{_MESSAGE}{_THAT}(?P<text>.+)"),
    ("message", rf"^(?:message|text|dm|notify|inform|write to)\s+{_WHO}{_SAYING}(?P<text>.+)"),
    (
        "message",
        rf"^(?:tell|let)\s+{_WHO}\s+(?:know\s+)?that\s+(?P<text>.+)|^tell\s+{_WHO.replace('who', 'who2')}\s*:\s*(?P<text2>.+)",
    ),
    ("message", rf"^let\s+{_WHO}\s+know\s*:?\s+(?!if\b|when\b|about\b|what\b)(?P<text>.+)"),
    (
        "message",
        rf"^(?:tell|text|message)\s+{_ONE}\s+(?P<text>(?:i|i'm|i'll|i've|i'd|we|we're|we'll|we've)\b.+)",
    ),
    ("message", rf"^(?:reply|respond|write back)\s+to\s+{_WHO}(?:{_THAT}|\s+with\s+)(?P<text>.+)"),
    ("message", rf"^(?:tell|message|text|send)\s+{_WHO}\s+[\"“](?P<text>.+)[\"”][\s.!]*$"),
    ("message", rf"^(?:send|say)\s+[\"“](?P<text>[^\"”]+)[\"”]\s+to\s+{_WHO}{_END}"),
    (
        "message",
        rf"^(?:send|write)\s+{_MESSAGE}\s+to\s+{_WHO}{_END}|^message\s+{_ONE.replace('who', 'who2')}{_END}",
    ),
    (
        "share",
        r"^share (?:my|the) (?:agent|assistant)\b(?P<rest>.*)"
        r"|^(?:create|make|get|give|generate)(?: me)? (?:a |an )?(?:new )?(?:share "
        r"|public |guest )?link (?:to|for|of) (?:my|the) "
        r"(?:agent|assistant)\b"
        r"(?P<rest2>.*)",
    ),
    (
        "network",
        r"^(?:who|which people|how many (?:people|contacts))(?: else)? (?:is|are|do i "
        r"have) (?:in|part of|on) (?:my|our) "
        rf"(?:network|contacts?|contact list|address book){_END}",
    ),
    (
        "network",
        r"^who (?:do i know(?: here)?|am i connected (?:to|with)|are (?:my|all my) "
        rf"(?:contacts|connections|friends)(?: here)?){_END}",
    ),
    (
        "network",
        r"^(?:(?:show|list|give|display|see)(?: me)? |what(?:'s| is| are) )?(?:all "
        rf")?(?:of )?my (?:network|contacts?(?: list)?|connections){_END}",
    ),
    (
        "network",
        rf"^(?:list|show(?: me)?)(?: all)?(?: the)? contacts{_END}|^(?:which|what) "
        rf"groups am i (?:in|part of|a member of){_END}",
    ),
    (
        "network",
        r"^(?:(?:do i have|are there|have i got|show(?: me)?|list|check) )?(?:any |my "
        r"|the |new |open |pending )*(?:contact|friend|connection) "
        rf"requests{_END}|^who wants to (?:connect(?: with me)?|be (?:my|a) contact){_END}",
    ),
    (
        "contact",
        r"^(?:find|look up|search(?: for)?|show(?: me)?)\s+(?:the |my "
        rf")?contact\s+(?P<who>[^?]+?){_END}",
    ),
    (
        "contact",
        rf"^search (?:in )?my contacts for\s+(?P<who>[^?]+?){_END}|^look up "
        rf"(?P<who2>[^?]+?) in my (?:contacts|network){_END}",
    ),
    (
        "contact",
        rf"^is\s+{_WHO}\s+(?:in|among|one of|part of) my (?:network|contacts?|contact "
        rf"list|connections){_END}",
    ),
    ("contact", rf"^am i connected (?:to|with)\s+{_WHO}{_END}"),
    ("contact", rf"^what (?:can|may) {_WHO} (?:see|read|access)(?: of mine| from me)?{_END}"),
)

_DE_WHO = (
    r"(?!(?:mir|uns|ihm|ihr|ihnen|dir|sich|ein|eine[nmrs]?|die|das|der|den|dem|auf|mal|in|zu|an|mein|meine[nmrs]?|es|sie|alle[ns]?)\b)"
    r"(?P<who>@?[^\W\d_][^,:;\"“„”?!\n]{0,60}?)"
)
_DE_THAT = r"(?:,?\s*dass\s+|\s*:\s*)"
GERMAN: tuple[tuple[str, str], ...] = (
    (
        "leave",
        r"^(?:sag|sage|schick|schicke|send|sende|teile?|frage?|gib|informiere?)\b[^,:]{0,60}?\b(?:nicht|nichts|keine[nrs]?)\b",
    ),
    (
        "help",
        r"^wie (?:schicke|sende|schreibe) ich (?:jemandem )?(?:eine "
        r")?nachricht|^kannst du (?:auch )?nachrichten (?:schicken|senden|schreiben)\b",
    ),
    (
        "ask_agent",
        r"^frage?\s+(?:bitte\s+)?(?:den agenten|die agentin|den assistenten|die "
        rf"assistentin) von\s+{_DE_WHO}\s*[,:]\s*(?P<text>.+)"
        r"|^frage?\s+(?:bitte\s+)?(?P<who2>@?[^\W\d_][\w-]{0,40}?)(?:s|')?\s+(?:agent(?:en|in)?|assistent(?:en|in)?)\s*[,:]?\s*(?P<text2>.+)",
    ),
    (
        "message",
        r"^(?:schick|schicke|send|sende|schreib|schreibe)\s+(?:bitte\s+)?eine "
        rf"(?:kurze )?nachricht an\s+{_DE_WHO}{_DE_THAT}(?P<text>.+)",
    ),
    (
        "message",
        rf"^(?:schick|schicke|send|sende|schreib|schreibe)\s+(?:bitte\s+)?{_DE_WHO}\s+eine "
        rf"(?:kurze )?nachricht{_DE_THAT}(?P<text>.+)",
    ),
    (
        "message",
        rf"^(?:schreib|schreibe|sag|sage|antworte|informiere?)\s+(?:bitte\s+)?{_DE_WHO}{_DE_THAT}(?P<text>.+)",
    ),
    (
        "message",
        rf"^gib\s+(?:bitte\s+)?{_DE_WHO}\s+bescheid{_DE_THAT}(?P<text>.+)|^teile?\s+{_DE_WHO.replace('who', 'who2')}\s+mit{_DE_THAT}(?P<text2>.+)",
    ),
    (
        "message",
        r"^(?:schick|schicke|send|sende|schreib|schreibe)\s+(?:bitte\s+)?eine "
        rf"nachricht an\s+{_DE_WHO}{_END}",
    ),
    (
        "share",
        r"^teile?\s+(?:bitte )?(?:meinen agenten|meine agentin|meinen assistenten)\b(?P<rest>.*)"
        r"|^(?:erstell|erstelle|mach|mache|gib)(?: mir)? einen "
        r"(?:link|gastlink|freigabelink) (?:zu|für|auf) (?:meinem|meinen) (?:agenten"
        r"|assistenten)\b"
        r"(?P<rest2>.*)",
    ),
    (
        "network",
        r"^(?:wer|welche leute) (?:ist|sind|gehört|gehören) (?:in|zu) meine[mnr] "
        rf"(?:netzwerk|kontakten){_END}|^wen kenne ich hier{_END}",
    ),
    (
        "network",
        r"^(?:(?:zeige?|liste?)(?: mir)? )?(?:alle )?(?:meine kontakte|mein "
        rf"netzwerk){_END}|^wer sind meine kontakte{_END}",
    ),
    (
        "network",
        r"^(?:habe ich |gibt es |zeige?(?: mir)? )?(?:neue |offene |meine "
        rf")*kontaktanfragen{_END}|^in welchen gruppen bin ich{_END}",
    ),
    (
        "contact",
        r"^(?:such|suche|finde?|zeige?)(?: mir)?\s+(?:den |meinen "
        rf")?kontakt\s+(?P<who>[^?]+?){_END}",
    ),
    (
        "contact",
        rf"^ist\s+{_DE_WHO}\s+(?:in meinem netzwerk|(?:unter|in) meinen kontakten|ein "
        rf"kontakt von mir){_END}",
    ),
)

_FR_WHO = r"(?!(?:moi|nous|lui|leur|toi|vous|un|une|le|la|les|mon|ma|mes|tous?)\b)(?P<who>@?[^\W\d_][^,:;\"“«”?!\n]{0,60}?)"
_FR_THAT = r"(?:\s+(?:pour (?:lui )?dire |disant )?(?:que\s+|qu')|\s*:\s*)"
_FR_ASKED = (
    r"(?P<text>(?:si|s'il|s'ils|quand|où|ce que|ce "
    r"qu'|quel|quelle|quels|quelles|combien|pourquoi|comment|qui)\b.+)"
)
FRENCH: tuple[tuple[str, str], ...] = (
    (
        "help",
        r"^comment (?:envoyer|écrire|est-ce que j'envoie) un "
        r"message|^(?:peux-tu|sais-tu|tu peux) envoyer des messages\b",
    ),
    (
        "ask_agent",
        rf"^demande(?:z)?\s+à\s+l'(?:agent|assistant)e?\s+(?:de\s+|d'){_FR_WHO}(?:\s*[,:]\s*(?P<text2>.+)|\s+{_FR_ASKED})",
    ),
    (
        "message",
        rf"^(?:dis|dites|écris|écrivez|réponds|répondez)\s+à\s+{_FR_WHO}{_FR_THAT}(?P<text>.+)",
    ),
    (
        "message",
        r"^(?:envoie|envoyez|écris|écrivez)\s+un (?:petit "
        rf")?(?:message|mot)\s+à\s+{_FR_WHO}{_FR_THAT}(?P<text>.+)",
    ),
    (
        "message",
        rf"^(?:préviens|prévenez|informe|informez|avertis)\s+{_FR_WHO}\s+(?:que\s+|qu')(?P<text>.+)",
    ),
    ("message", rf"^(?:envoie|envoyez|écris|écrivez)\s+un message\s+à\s+{_FR_WHO}{_END}"),
    (
        "share",
        r"^(?:partage|partagez)\s+mon "
        r"(?:agent|assistant)\b(?P<rest>.*)|^(?:crée|créez|fais)\s+un lien "
        r"(?:vers|pour) mon (?:agent"
        r"|assistant)\b(?P<rest2>.*)",
    ),
    (
        "network",
        rf"^qui (?:est|y a-t-il|se trouve) dans mon réseau{_END}|^qui sont mes contacts{_END}",
    ),
    (
        "network",
        rf"^(?:(?:montre(?:-moi)?|liste|affiche) )?(?:tous )?(?:mes contacts|mon réseau){_END}",
    ),
    (
        "network",
        r"^(?:ai-je |y a-t-il )?(?:des |mes |les )?(?:nouvelles )?demandes de "
        rf"contact{_END}|^dans quels groupes suis-je{_END}",
    ),
    (
        "contact",
        rf"^(?:cherche|cherchez|trouve|trouvez)\s+(?:le |mon )?contact\s+(?P<who>[^?]+?){_END}",
    ),
    (
        "contact",
        rf"^(?:est-ce que )?{_FR_WHO} est(?:-il|-elle)? (?:dans mon "
        rf"réseau|(?:dans|parmi) mes contacts){_END}",
    ),
)

_ES_WHO = r"(?!(?:mí|nosotros|él|ella|ellos|ti|un|una|el|la|los|las|mi|mis|todos)\b)(?P<who>@?[^\W\d_][^,:;\"“«”?!¿\n]{0,60}?)"
_ES_THAT = r"(?:\s+(?:diciendo |de )?que\s+|\s*:\s*)"
SPANISH: tuple[tuple[str, str], ...] = (
    ("leave", r"^no (?:le |les )?(?:digas|escribas|envíes|mandes|avises|preguntes|compartas)\b"),
    (
        "help",
        r"^¿?cómo (?:envío|mando|puedo enviar) un mensaje|^¿?(?:puedes|sabes) "
        r"(?:enviar|mandar) mensajes\b",
    ),
    (
        "ask_agent",
        r"^(?:pregunta|pregúntale)\s+al "
        rf"(?:agente|asistente)\s+de\s+{_ES_WHO}(?:\s*[,:]\s*(?P<text2>.+)"
        r"|\s+(?P<text>(?:si|cuándo|dónde|qué|cuál|cuánto|cuántos|por qué|cómo|quién)\b.+))",
    ),
    (
        "message",
        rf"^(?:dile|díle|dígale|escríbele|escribe|avisa|avísale|informa|respóndele|responde)\s+a\s+{_ES_WHO}{_ES_THAT}(?P<text>.+)",
    ),
    (
        "message",
        r"^(?:envía|envíale|manda|mándale|escribe)\s+un "
        rf"mensaje\s+a\s+{_ES_WHO}{_ES_THAT}(?P<text>.+)",
    ),
    ("message", rf"^(?:envíale|mándale)\s+a\s+{_ES_WHO}\s+un mensaje{_ES_THAT}(?P<text>.+)"),
    ("message", rf"^(?:envía|envíale|manda|mándale)\s+un mensaje\s+a\s+{_ES_WHO}{_END}"),
    (
        "share",
        r"^comparte\s+mi (?:agente|asistente)\b(?P<rest>.*)|^(?:crea|haz|dame)\s+un "
        r"enlace (?:a|para|de) mi (?:agente|asistente)\b(?P<rest2>.*)",
    ),
    (
        "network",
        rf"^¿?qui[eé]n(?:es)? (?:está|están|hay) en mi red{_END}|^¿?quiénes son mis "
        rf"contactos{_END}",
    ),
    (
        "network",
        rf"^(?:(?:muestra|muéstrame|lista|enséñame) )?(?:todos )?(?:mis contactos|mi red){_END}",
    ),
    (
        "network",
        r"^¿?(?:tengo |hay )?(?:mis |las )?(?:nuevas )?solicitudes de "
        rf"contacto{_END}|^¿?en qué grupos estoy{_END}",
    ),
    (
        "contact",
        r"^busca\s+(?:el |al "
        rf")?contacto\s+(?:a\s+)?(?P<who>[^?]+?){_END}|^¿?está\s+{_ES_WHO.replace('who', 'who2')}\s+en "
        r""
        r"(?:mi red|mis "
        rf"contactos){_END}",
    ),
)

CHINESE: tuple[tuple[str, str], ...] = (
    (
        "help",
        r"^(?:怎么|如何)(?:给别人)?发(?:送)?(?:消息|信息)|^你(?:能|会|可以)发(?:送)?(?:消息|信息)吗",
    ),
    (
        "ask_agent",
        r"^(?:请)?(?:问|询问)(?:一下|问)?(?P<who>[^，,：:\s]{1,20}?)的(?:代理|助手|智能体)[，,：:\s]*(?P<text>.+)",
    ),
    (
        "message",
        r"^(?:请)?(?:给|向)(?P<who>[^，,：:\s]{1,20}?)(?:发|发送|写)(?:一?[条个则])?(?:消息|信息|短信)(?:说|告诉(?:他|她))?[，,：:\s]*(?P<text>.+)",
    ),
    (
        "message",
        r"^(?:请)?(?:告诉|通知|转告)(?!我|他|她|你|大家)(?P<who>[^，,：:\s]{1,20}?)\s*[，,：:]\s*(?P<text>.+)",
    ),
    (
        "message",
        r"^(?:请)?(?:告诉|通知|转告)(?P<who>@?[A-Za-z][A-Za-z0-9_-]{1,31})\s*(?P<text>[^\sA-Za-z0-9_-].*)",
    ),
    (
        "share",
        r"^(?:请)?分享我的(?:代理|助手|智能体)(?P<rest>.*)|^(?:请)?(?:创建|生成|给我)(?:一个)?我的(?:代理|助手|智能体)的(?:分享)?链接(?P<rest2>.*)",
    ),
    (
        "network",
        r"^谁在我的(?:网络|人脉|联系人)(?:里|中)?[。？?]*$|^我的(?:网络|人脉|联系人)(?:里|中)?(?:都)?(?:有谁|有哪些人?)?[。？?]*$",
    ),
    (
        "network",
        r"^(?:列出|显示|看看|查看)(?:我的|所有|全部)*联系人[。！]*$|^我?有(?:新的)?(?:好友|联系人)(?:请求|申请)吗[？?]*$",
    ),
    (
        "contact",
        r"^(?:查找|搜索|找)(?:一下)?联系人\s*(?P<who>.+)|^(?P<who2>[^\s，,]{1,20}?)在(?:不在)?我的(?:联系人|网络|人脉)(?:里|中)吗?[？?]*$",
    ),
)

_JA_TO = r"(?:さん|君|くん|ちゃん|様)?に"
JAPANESE: tuple[tuple[str, str], ...] = (
    (
        "leave",
        r"(?:伝えないで|送らないで|連絡しないで|共有しないで|聞かないで)(?:ください|ね)?[。！]*$",
    ),
    (
        "help",
        r"^メッセージ(?:は|を)?(?:どうやって|どう)?(?:送れ(?:ます|る)|送(?:りますか|るの))|^メッセージの送り方",
    ),
    (
        "ask_agent",
        r"^(?P<who>[^、,\s]{1,20}?)(?:さん)?の(?:エージェント|アシスタント)に[、,]?(?P<text>.+?)(?:と|って|を)?(?:聞いて|尋ねて"
        r"|質問して)(?:ください|みて)?[。！]*$",
    ),
    (
        "message",
        rf"^(?P<who>[^、,:：\s]{{1,20}}?){_JA_TO}(?:メッセージ|連絡)(?:を?送って|して)?(?:ください)?\s*[:：]\s*(?P<text>.+)",
    ),
    (
        "message",
        rf"^(?P<who>[^、,:：\s]{{1,20}}?){_JA_TO}[「『](?P<text>.+?)[」』]と(?:伝えて|送って|連絡して|メッセージ|書いて)[^。]*[。！]*$",
    ),
    (
        "message",
        rf"^(?!私|これ|それ)(?P<who>[^、,:：\s]{{1,20}}?){_JA_TO}、?(?P<text>.+?)と(?:伝えて|連絡して|メッセージを?(?:送って"
        rf"|して))(?:ください|おいて)?[。！]*$",
    ),
    (
        "share",
        r"^(?:私の)?エージェントを(?:共有|シェア)(?P<rest>.*)|^(?:私の)?エージェントの(?:共有)?リンクを(?:作|発行)(?P<rest2>.*)",
    ),
    (
        "network",
        r"^(?:私の)?(?:ネットワーク|連絡先)に(?:は)?(?:誰|だれ)が(?:い|あり)[^。]*[。？?]*$|^(?:私の)?連絡先(?:の|を)?(?:一覧|リスト|見せ"
        r"|表示|教え)?.{0,6}$",
    ),
    (
        "contact",
        r"^連絡先から(?P<who>.+?)を(?:探|検索|見つけ)|^(?P<who2>[^\s、]{1,20}?)(?:さん)?は(?:私の)?(?:連絡先|ネットワーク)に(?:い|あり)",
    ),
)

PATTERNS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
    "ja": JAPANESE,
}

HINTS: dict[str, tuple[str, ...]] = {
    "en": (
        "message",
        "text",
        "tell",
        "send",
        "write",
        "reply",
        "respond",
        "notify",
        "inform",
        "let ",
        "dm ",
        "ask",
        "query",
        "contact",
        "check with",
        "agent",
        "assistant",
        "network",
        "connect",
        "friend",
        "groups",
        "say ",
        "who do i",
        "share",
        " see",
        " read",
        " access",
    ),
    "de": (
        "sag",
        "schick",
        "send",
        "teil",
        "frag",
        "gib ",
        "inform",
        "schreib",
        "nachricht",
        "antwort",
        "netzwerk",
        "kontakt",
        "kenne ich",
        "gruppen",
        "agent",
        "assistent",
    ),
    "fr": (
        "dis ",
        "dites",
        "écri",
        "envo",
        "prév",
        "inform",
        "avert",
        "répond",
        "demande",
        "partage",
        "agent",
        "assistant",
        "réseau",
        "contact",
        "groupes",
        "message",
    ),
    "es": (
        "dile",
        "díle",
        "dígale",
        "digas",
        "escrib",
        "escríb",
        "avis",
        "avís",
        "inform",
        "respond",
        "respónd",
        "env",
        "mand",
        "mánd",
        "pregunt",
        "pregúnt",
        "compart",
        "agente",
        "asistente",
        " red",
        "contacto",
        "grupos",
        "mensaje",
    ),
}
"""In small letters, of which one stands in every message that a language's patterns can fit.

A language without them is always tried.
"""
