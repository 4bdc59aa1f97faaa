"""The fixed sentences that are said otherwise where it is not the owner who asks, but a peer or
a guest: in the order of languages of `phrases`.
"""

SAID: dict[str, tuple[str, str, str, str, str, str]] = {
    "help": (
        "I am {owner}'s agent and work without a language model here. I search those "
        "of {owner}'s notes that are open to you and answer with what "
        "they say, and where {owner} allows it I tell when {owner} is free. Ask what "
        "you want to know.",
        "Ich bin der Agent von {owner} und arbeite hier ohne Sprachmodell. Ich "
        "durchsuche die Notizen von {owner}, die dir offenstehen, und antworte "
        "mit dem, was darin steht; wo {owner} es erlaubt, sage ich auch, wann {owner} "
        "Zeit hat. Frag einfach.",
        "Je suis l'agent de {owner} et travaille ici sans modèle de langue. Je cherche "
        "dans les notes que {owner} vous a ouvertes et réponds avec ce "
        "qu'elles disent ; si {owner} le permet, je dis aussi quand {owner} est libre. "
        "Demandez ce que vous voulez savoir.",
        "Soy el agente de {owner} y aquí trabajo sin modelo de lenguaje. Busco en las "
        "notas de {owner} que puedes ver y respondo con lo que dicen; "
        "si {owner} lo permite, digo también cuándo está libre. Pregunta lo que quieras.",
        "我是 {owner} 的代理，在这里不使用语言模型。我搜索 {owner} 对你开放的笔记并用原文回答；"
        "在 {owner} 允许时也会告诉你 {owner} 何时有空。请直接提问。",
        "{owner} さんのエージェントです。ここでは言語モデルなしで動いています。公開されている {owner} さんのメモを検索して原文で答え、"
        "許可されていれば空いている時間もお伝えします。質問をどうぞ。",
    ),
    "cannot": (
        "I can't do that without a language model. I look for answers in {owner}'s "
        "notes, as far as they are open to you.",
        "Das kann ich ohne Sprachmodell nicht. Ich suche Antworten in den Notizen von "
        "{owner}, soweit sie dir offenstehen.",
        "Je ne peux pas le faire sans modèle de langue. Je cherche des réponses dans "
        "les notes que {owner} vous a ouvertes.",
        "No puedo hacerlo sin un modelo de lenguaje. Busco respuestas en las notas de "
        "{owner} que puedes ver.",
        "没有语言模型我做不到。我在 {owner} 对你开放的笔记里寻找答案。",
        "言語モデルなしではできません。公開されている {owner} さんのメモの中から答えを探します。",
    ),
    "nothing": (
        "I found nothing about that in {owner}'s notes, as far as they are open to you.",
        "Dazu habe ich in den Notizen von {owner} nichts gefunden, soweit sie dir offenstehen.",
        "Je n'ai rien trouvé à ce sujet dans les notes que {owner} vous a ouvertes.",
        "No encontré nada sobre eso en las notas de {owner} que puedes ver.",
        "在 {owner} 对你开放的笔记里没有找到相关内容。",
        "公開されている {owner} さんのメモの中には見つかりませんでした。",
    ),
    "folders": (
        "{owner}'s folders:",
        "Ordner von {owner}:",
        "Les dossiers que {owner} vous a ouverts :",
        "Carpetas de {owner}:",
        "{owner} 的文件夹：",
        "{owner} さんのフォルダー：",
    ),
    "notes": (
        "{owner}'s notes:",
        "Notizen von {owner}:",
        "Les notes que {owner} vous a ouvertes :",
        "Notas de {owner}:",
        "{owner} 的笔记：",
        "{owner} さんのメモ：",
    ),
    "free": (
        "{owner} is free: {when}.",
        "{owner} hat Zeit: {when}.",
        "{owner} est libre : {when}.",
        "{owner} está libre: {when}.",
        "{owner} 有空：{when}。",
        "{owner} さんは空いています：{when}。",
    ),
    "busy": (
        "{owner} is busy ({when}):",
        "{owner} hat keine Zeit ({when}):",
        "{owner} n'est pas libre ({when}) :",
        "{owner} no está libre ({when}):",
        "{owner} 没空（{when}）：",
        "{owner} さんは予定があります（{when}）：",
    ),
    "waits": (
        "That waits for {owner}'s yes.",
        "Das wartet auf das Ja von {owner}.",
        "Cela attend l'accord de {owner}.",
        "Eso espera el sí de {owner}.",
        "这需要等待 {owner} 同意。",
        "{owner} さんの承認待ちです。",
    ),
    "not_offered": (
        "I may not do that for you; {owner} decides what I may do and tell here.",
        "Das darf ich für dich nicht; {owner} entscheidet, was ich hier tun und sagen darf.",
        "Je n'ai pas le droit de faire cela pour vous ; {owner} décide de ce que je "
        "peux faire et dire ici.",
        "No puedo hacer eso por ti; {owner} decide lo que puedo hacer y decir aquí.",
        "我不能为你这样做；我在这里可以做什么、说什么由 {owner} 决定。",
        "それは私にはできません。ここで何をし、何を答えてよいかは {owner} さんが決めます。",
    ),
    "taken": (
        "I have kept your message for {owner}, who can read it here; {owner} has not "
        "opened notes for me to quote from.",
        "Ich habe deine Nachricht für {owner} aufgehoben; {owner} kann sie hier lesen. "
        "Notizen, aus denen ich zitieren darf, hat {owner} nicht "
        "freigegeben.",
        "J'ai gardé votre message pour {owner}, qui peut le lire ici ; {owner} ne m'a "
        "ouvert aucune note à citer.",
        "He guardado tu mensaje para {owner}, que puede leerlo aquí; {owner} no ha "
        "abierto notas que yo pueda citar.",
        "我已为 {owner} 保存了你的留言，{owner} 可以在这里看到；{owner} 没有开放可供我引用的笔记。",
        "{owner} さんへのメッセージとしてお預かりしました。{owner} さんはここで読めます。引用できるメモは公開されていません。",
    ),
    "refused": (
        "That could not be done: {reason}",
        "Das ging nicht: {reason}",
        "Cela n'a pas pu être fait : {reason}",
        "No se pudo hacer: {reason}",
        "未能完成：{reason}",
        "できませんでした：{reason}",
    ),
}
