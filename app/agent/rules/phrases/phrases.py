"""The fixed sentences of the offline brain in six languages, and the language that a message is
written in.
"""

import re
from typing import Literal, cast

from app.agent.rules.phrases import phrases_for_others
from app.core.process.lazy_regex import regex

Language = Literal["en", "de", "fr", "es", "zh", "ja"]

_COMMON = {
    "en": "the is of what when where who how my me do does did and to a an in on for "
    "which please are i you it that this with todo todos notes note",
    "de": "der die das ist was wann wo wer wie mein meine meinen mir ich und zu den dem "
    "ein eine einen im am für welche welcher bitte sind nicht mit "
    "heute morgen notiz notizen aufgabe aufgaben suche zeig hake wurde war danke "
    "hallo über auf hat haben lege liegt "
    "dass es sag schick schreib frag gib kannst nachricht bescheid netzwerk kontakte",
    "fr": "le la les est que quand où qui comment mon ma mes je et de des du un une dans "
    "sur pour quel quelle quels quelles ai sont ne pas moi "
    "aujourd'hui demain note notes tâche tâches cherche merci bonjour été tu au "
    "aux les supprime ajoute rappelle-moi dis envoie "
    "réseau",
    "es": "el los las es qué cuándo dónde quién cómo mi mis yo y de del un una en para "
    "por cuál cuánto cuántos son no me hoy mañana nota notas tarea "
    "tareas busca gracias hola tengo está se recuérdame añade borra resume puedes "
    "usa que dile digas envía mensaje red contactos",
}
_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _COMMON.items()
}
_SIGNS: tuple[tuple[Language, re.Pattern[str], int], ...] = (
    ("es", regex(r"[¿¡ñ]"), 3),
    ("de", regex(r"[ßäöü]"), 1),
    ("fr", regex(r"[çèêàùœ]|\b[ldjcnsm]'(?=[aeiouhéèêà])|\s[?!:]"), 2),
)
_KANA = regex(r"[\u3040-\u30ff]")
_HAN = regex(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_READ = 600

_SAID: dict[str, tuple[str, str, str, str, str, str]] = {
    "help": (
        "I work without a language model here. I search your notes and answer with "
        "what they say, list, add and complete todos, write, pin and "
        "move notes, and sum up your day, a note or a folder. I tell who is in your "
        "network and write to them once you say yes. Ask what "
        "you want to know, or write `todo: …` or `note: …`.",
        "Ich arbeite hier ohne Sprachmodell. Ich durchsuche deine Notizen und antworte "
        "mit dem, was darin steht, zeige, ergänze und erledige "
        "Aufgaben, schreibe Notizen und fasse deinen Tag zusammen. Ich sage, wer in "
        "deinem Netzwerk ist, und schreibe ihnen, wenn du "
        "zustimmst. Frag einfach, oder schreib `Aufgabe: …` oder `Notiz: …`.",
        "Je travaille ici sans modèle de langue. Je cherche dans vos notes et réponds "
        "avec ce qu'elles disent, je liste, ajoute et termine des "
        "tâches, j'écris des notes et je résume votre journée. Je dis qui est dans "
        "votre réseau et je leur écris avec votre accord. Posez "
        "une question, ou écrivez `tâche : …` ou `note : …`.",
        "Aquí trabajo sin modelo de lenguaje. Busco en tus notas y respondo con lo que "
        "dicen, muestro, añado y completo tareas, escribo notas y "
        "resumo tu día. Digo quién está en tu red y les escribo si dices que sí. "
        "Pregunta lo que quieras, o escribe `tarea: …` o `nota: …`.",
        "我在这里不使用语言模型。我可以搜索笔记并用原文回答，列出、添加和完成待办，写笔记，总结一天，列出联系人，并在你同意后给他们发消息。"
        "请直接提问，或写 `待办：…`、`笔记：…`。",
        "ここでは言語モデルなしで動いています。メモを検索して原文で答え、タスクの一覧・追加・完了、メモの作成、一日のまとめ、連絡先の一覧、"
        "承認後のメッセージ送信ができます。"
        "質問するか、`タスク：…` や `メモ：…` と書いてください。",
    ),
    "greet": (
        "Hello! What can I do for you?",
        "Hallo! Was kann ich für dich tun?",
        "Bonjour ! Que puis-je faire pour vous ?",
        "¡Hola! ¿Qué puedo hacer por ti?",
        "你好！需要我做什么？",
        "こんにちは！何をしましょうか？",
    ),
    "greet_named": (
        "Hello {who}! What can I do for you?",
        "Hallo {who}! Was kann ich für dich tun?",
        "Bonjour {who} ! Que puis-je faire pour vous ?",
        "¡Hola, {who}! ¿Qué puedo hacer por ti?",
        "{who}，你好！需要我做什么？",
        "{who}さん、こんにちは！何をしましょうか？",
    ),
    "named": (
        "I am {who}.",
        "Ich bin {who}.",
        "Je suis {who}.",
        "Soy {who}.",
        "我是{who}。",
        "私は{who}です。",
    ),
    "thanks": (
        "You're welcome.",
        "Gern geschehen.",
        "Avec plaisir.",
        "De nada.",
        "不客气。",
        "どういたしまして。",
    ),
    "leave": (
        "All right, I leave that alone.",
        "In Ordnung, ich lasse das.",
        "D'accord, je n'y touche pas.",
        "De acuerdo, lo dejo así.",
        "好的，我不动它。",
        "わかりました。何もしません。",
    ),
    "cannot": (
        "I can't do that without a language model. I work with your notes and todos: "
        "searching, listing, adding, summing up.",
        "Das kann ich ohne Sprachmodell nicht. Ich arbeite mit deinen Notizen und "
        "Aufgaben: suchen, zeigen, ergänzen, zusammenfassen.",
        "Je ne peux pas le faire sans modèle de langue. Je travaille avec vos notes et "
        "tâches : chercher, lister, ajouter, résumer.",
        "No puedo hacerlo sin un modelo de lenguaje. Trabajo con tus notas y tareas: "
        "buscar, mostrar, añadir, resumir.",
        "没有语言模型我做不到。我能处理笔记和待办：搜索、列出、添加、总结。",
        "言語モデルなしではできません。メモとタスクの検索、一覧、追加、まとめができます。",
    ),
    "undo": (
        "I don't delete or undo anything here, so nothing has changed. Edited notes "
        "keep their earlier states as snapshots.",
        "Ich lösche hier nichts und mache nichts rückgängig; es bleibt alles, wie es "
        "ist. Geänderte Notizen behalten frühere Stände.",
        "Je ne supprime et n'annule rien ici ; rien n'a changé. Les notes modifiées "
        "gardent leurs états antérieurs.",
        "Aquí no borro ni deshago nada; nada ha cambiado. Las notas editadas conservan "
        "sus estados anteriores.",
        "我在这里不删除也不撤销任何内容，一切保持原样。改过的笔记保留着以前的版本。",
        "ここでは削除も取り消しもしません。何も変わっていません。編集したメモには以前の版が残っています。",
    ),
    "nothing": (
        "I found nothing about that in your notes.",
        "Dazu habe ich in deinen Notizen nichts gefunden.",
        "Je n'ai rien trouvé à ce sujet dans vos notes.",
        "No encontré nada sobre eso en tus notas.",
        "在你的笔记里没有找到相关内容。",
        "メモの中には見つかりませんでした。",
    ),
    "unanswered": (
        "I found no passage that answers this. Nearest notes:",
        "Ich habe keine Stelle gefunden, die das beantwortet. Am nächsten liegen:",
        "Aucun passage n'y répond. Les notes les plus proches :",
        "Ningún pasaje lo responde. Las notas más cercanas:",
        "没有找到能回答的段落。最接近的笔记：",
        "答えになる箇所は見つかりませんでした。近いメモ：",
    ),
    "found": (
        "These notes fit:",
        "Diese Notizen passen:",
        "Ces notes correspondent :",
        "Estas notas coinciden:",
        "这些笔记相符：",
        "見つかったメモ：",
    ),
    "todos": (
        "{count} todos:",
        "{count} Aufgaben:",
        "{count} tâches :",
        "{count} tareas:",
        "{count} 项待办：",
        "タスク {count} 件：",
    ),
    "one_todo": (
        "One todo:",
        "Eine Aufgabe:",
        "Une tâche :",
        "Una tarea:",
        "1 项待办：",
        "タスク 1 件：",
    ),
    "no_todos": (
        "No todos there.",
        "Da steht keine Aufgabe.",
        "Aucune tâche.",
        "No hay tareas.",
        "没有待办。",
        "タスクはありません。",
    ),
    "more": (
        "… and {count} more.",
        "… und {count} weitere.",
        "… et {count} autres.",
        "… y {count} más.",
        "……还有 {count} 项。",
        "……ほか {count} 件。",
    ),
    "added": (
        "Added: {title}{due}.",
        "Hinzugefügt: {title}{due}.",
        "Ajouté : {title}{due}.",
        "Añadido: {title}{due}.",
        "已添加：{title}{due}。",
        "追加しました：{title}{due}。",
    ),
    "due": (
        ", due {due}",
        ", fällig {due}",
        ", pour le {due}",
        ", para el {due}",
        "，截止 {due}",
        "、期限 {due}",
    ),
    "completed": (
        "Done: {title}.",
        "Erledigt: {title}.",
        "Terminé : {title}.",
        "Hecho: {title}.",
        "已完成：{title}。",
        "完了：{title}。",
    ),
    "which": (
        "Several fit. Which one do you mean?",
        "Mehrere passen. Welche meinst du?",
        "Plusieurs correspondent. Laquelle ?",
        "Varias coinciden. ¿Cuál?",
        "有几项相符，你指哪一项？",
        "複数あります。どれですか？",
    ),
    "none_fits": (
        "Nothing fits “{words}”, so I changed nothing.",
        "Nichts passt zu „{words}“; ich habe nichts geändert.",
        "Rien ne correspond à « {words} » ; je n'ai rien changé.",
        "Nada coincide con «{words}»; no cambié nada.",
        "没有与“{words}”相符的，我没有改动。",
        "「{words}」に合うものがないので、何も変えていません。",
    ),
    "noted": (
        "Saved as {title}.",
        "Gespeichert als {title}.",
        "Enregistré : {title}.",
        "Guardado como {title}.",
        "已保存：{title}。",
        "保存しました：{title}。",
    ),
    "remembered": (
        "I'll remember that, in {title}.",
        "Ich merke es mir, in {title}.",
        "Je m'en souviendrai, dans {title}.",
        "Lo recordaré, en {title}.",
        "记住了，写在 {title}。",
        "覚えておきます。{title} に書きました。",
    ),
    "known": (
        "I remember that already, in {title}.",
        "Das weiß ich schon, aus {title}.",
        "Je le sais déjà, dans {title}.",
        "Ya lo sé, está en {title}.",
        "这个我已经记得，写在 {title}。",
        "それはもう {title} に書いてあります。",
    ),
    "recalled": (
        "I remember:",
        "Ich erinnere mich:",
        "Je me souviens :",
        "Recuerdo:",
        "我记得：",
        "覚えていること：",
    ),
    "unremembered": (
        "I remember nothing about that.",
        "Dazu erinnere ich mich an nichts.",
        "Je ne me souviens de rien à ce sujet.",
        "No recuerdo nada sobre eso.",
        "我不记得相关的内容。",
        "それについては何も覚えていません。",
    ),
    "appended": (
        "Added to {title}.",
        "Ergänzt in {title}.",
        "Ajouté à {title}.",
        "Añadido a {title}.",
        "已写入 {title}。",
        "{title} に追記しました。",
    ),
    "pinned": (
        "Pinned {title}.",
        "Angeheftet: {title}.",
        "Épinglée : {title}.",
        "Fijada: {title}.",
        "已置顶：{title}。",
        "ピン留めしました：{title}。",
    ),
    "unpinned": (
        "Unpinned {title}.",
        "Gelöst: {title}.",
        "Détachée : {title}.",
        "Desfijada: {title}.",
        "已取消置顶：{title}。",
        "ピン留めを外しました：{title}。",
    ),
    "moved": (
        "Moved {title} to {folder}.",
        "{title} liegt jetzt in {folder}.",
        "{title} est maintenant dans {folder}.",
        "{title} está ahora en {folder}.",
        "已将 {title} 移到 {folder}。",
        "{title} を {folder} に移しました。",
    ),
    "replanned": (
        "Gave {count} overdue todos a new day:",
        "{count} überfällige Aufgaben neu verteilt:",
        "{count} tâches en retard replanifiées :",
        "{count} tareas atrasadas replanificadas:",
        "已为 {count} 项逾期待办重新安排日期：",
        "期限切れの {count} 件に新しい日を割り当てました：",
    ),
    "today": (
        "Due today: {count}",
        "Heute fällig: {count}",
        "Pour aujourd'hui : {count}",
        "Para hoy: {count}",
        "今天到期：{count}",
        "今日が期限：{count}",
    ),
    "overdue": (
        "Overdue: {count}",
        "Überfällig: {count}",
        "En retard : {count}",
        "Atrasadas: {count}",
        "已逾期：{count}",
        "期限切れ：{count}",
    ),
    "edited": (
        "Lately edited notes:",
        "Zuletzt bearbeitete Notizen:",
        "Notes modifiées récemment :",
        "Notas editadas hace poco:",
        "最近编辑的笔记：",
        "最近編集したメモ：",
    ),
    "folders": (
        "Your folders:",
        "Deine Ordner:",
        "Vos dossiers :",
        "Tus carpetas:",
        "你的文件夹：",
        "フォルダー：",
    ),
    "notes": ("Your notes:", "Deine Notizen:", "Vos notes :", "Tus notas:", "你的笔记：", "メモ："),
    "summary": ("In short:", "Kurz gesagt:", "En bref :", "En resumen:", "摘要：", "要約："),
    "events": (
        "Planned ({count}):",
        "Geplant ({count}):",
        "Prévu ({count}) :",
        "Previsto ({count}):",
        "安排（{count}）：",
        "予定（{count}）：",
    ),
    "no_events": (
        "Nothing is planned then.",
        "Da ist nichts geplant.",
        "Rien n'est prévu.",
        "No hay nada previsto.",
        "没有安排。",
        "予定はありません。",
    ),
    "free": (
        "Yes, you are free: {when}.",
        "Ja, du hast Zeit: {when}.",
        "Oui, vous êtes libre : {when}.",
        "Sí, tienes libre: {when}.",
        "有空：{when}。",
        "空いています：{when}。",
    ),
    "busy": (
        "No, something is planned ({when}):",
        "Nein, da ist etwas geplant ({when}):",
        "Non, quelque chose est prévu ({when}) :",
        "No, hay algo previsto ({when}):",
        "没空，已有安排（{when}）：",
        "予定があります（{when}）：",
    ),
    "free_slots": (
        "Free that day: {slots}",
        "Frei an diesem Tag: {slots}",
        "Libre ce jour-là : {slots}",
        "Libre ese día: {slots}",
        "当天空闲：{slots}",
        "この日の空き：{slots}",
    ),
    "contacts": (
        "Contacts ({count}):",
        "Kontakte ({count}):",
        "Contacts ({count}) :",
        "Contactos ({count}):",
        "联系人（{count}）：",
        "連絡先（{count}）：",
    ),
    "no_contacts": (
        "You have no contacts here yet.",
        "Du hast hier noch keine Kontakte.",
        "Vous n'avez pas encore de contacts ici.",
        "Aún no tienes contactos aquí.",
        "你在这里还没有联系人。",
        "ここにはまだ連絡先がありません。",
    ),
    "groups": (
        "Groups ({count}):",
        "Gruppen ({count}):",
        "Groupes ({count}) :",
        "Grupos ({count}):",
        "群组（{count}）：",
        "グループ（{count}）：",
    ),
    "requests_in": (
        "Waiting for your answer ({count}):",
        "Warten auf deine Antwort ({count}):",
        "Attendent votre réponse ({count}) :",
        "Esperan tu respuesta ({count}):",
        "等待你答复（{count}）：",
        "あなたの返事待ち（{count}）：",
    ),
    "requests_out": (
        "Waiting for theirs ({count}):",
        "Warten auf ihre Antwort ({count}):",
        "En attente de leur réponse ({count}) :",
        "Esperan la suya ({count}):",
        "等待对方答复（{count}）：",
        "相手の返事待ち（{count}）：",
    ),
    "nobody": (
        "None of your contacts is called “{who}”.",
        "Keiner deiner Kontakte heißt „{who}“.",
        "Aucun de vos contacts ne s'appelle « {who} ».",
        "Ninguno de tus contactos se llama «{who}».",
        "你的联系人中没有“{who}”。",
        "連絡先に「{who}」という人はいません。",
    ),
    "which_contact": (
        "Several contacts fit. Whom do you mean?",
        "Mehrere Kontakte passen. Wen meinst du?",
        "Plusieurs contacts correspondent. Lequel ?",
        "Varios contactos coinciden. ¿A quién te refieres?",
        "有几位联系人相符，你指谁？",
        "合う連絡先が複数あります。誰ですか？",
    ),
    "message_what": (
        "What should the message to {who} say? Write `message {who}: …`.",
        "Was soll {who} lesen? Schreib `Schreib {who}: …`.",
        "Que dois-je écrire à {who} ? Écrivez `écris à {who} : …`.",
        "¿Qué le digo a {who}? Escribe `dile a {who}: …`.",
        "要对 {who} 说什么？请写 `告诉 {who}：…`。",
        "{who} に何と伝えますか？`{who}に「…」と伝えて` と書いてください。",
    ),
    "messaged": (
        "Sent to {who}.",
        "An {who} gesendet.",
        "Envoyé à {who}.",
        "Enviado a {who}.",
        "已发送给 {who}。",
        "{who} に送りました。",
    ),
    "message_waits": (
        "The message to {who} waits for your yes (escalation {id}): {text}",
        "Die Nachricht an {who} wartet auf dein Ja (Eskalation {id}): {text}",
        "Le message à {who} attend votre accord (escalade {id}) : {text}",
        "El mensaje a {who} espera tu sí (escalación {id}): {text}",
        "给 {who} 的消息等待你同意（编号 {id}）：{text}",
        "{who} へのメッセージはあなたの承認待ちです（{id}）：{text}",
    ),
    "question_waits": (
        "The question to {who}'s agent waits for your yes (escalation {id}): {text}",
        "Die Frage an den Agenten von {who} wartet auf dein Ja (Eskalation {id}): {text}",
        "La question à l'agent de {who} attend votre accord (escalade {id}) : {text}",
        "La pregunta al agente de {who} espera tu sí (escalación {id}): {text}",
        "给 {who} 的代理的问题等待你同意（编号 {id}）：{text}",
        "{who} のエージェントへの質問はあなたの承認待ちです（{id}）：{text}",
    ),
    "agent_said": (
        "{who} says:",
        "{who} sagt:",
        "{who} répond :",
        "{who} dice:",
        "{who} 说：",
        "{who} の答え：",
    ),
    "agent_later": (
        "{who} cannot answer now. The question is kept and answered later.",
        "{who} kann gerade nicht antworten. Die Frage bleibt liegen und wird später beantwortet.",
        "{who} ne peut pas répondre maintenant. La question est gardée et recevra une "
        "réponse plus tard.",
        "{who} no puede responder ahora. La pregunta se guarda y se responderá más tarde.",
        "{who} 现在无法回答，问题已保留，稍后会答复。",
        "{who} は今は答えられません。質問は残り、後で答えます。",
    ),
    "share_what": (
        "What may those who have the link read? Say `share my agent with all my notes` "
        "or `share my agent with the folder NAME`.",
        "Was dürfen die lesen, die den Link haben? Sag `teile meinen Agenten mit allen "
        "Notizen` oder `teile meinen Agenten mit "
        "dem Ordner NAME`.",
        "Que peuvent lire ceux qui ont le lien ? Dites `partage mon agent avec toutes "
        "mes notes` ou `partage mon agent avec le "
        "dossier NOM`.",
        "¿Qué pueden leer quienes tengan el enlace? Di `comparte mi agente con todas "
        "mis notas` o `comparte mi agente con la "
        "carpeta NOMBRE`.",
        "拿到链接的人可以读什么？请说 `分享我的代理，所有笔记` 或 `分享我的代理，文件夹 名称`。",
        "リンクを持つ人は何を読めますか？`エージェントを共有 すべてのメモ` か `エージェントを共有 フォルダー 名前` と書いてください。",
    ),
    "shared": (
        "The link to your agent{until}: {url}",
        "Der Link zu deinem Agenten{until}: {url}",
        "Le lien vers votre agent{until} : {url}",
        "El enlace a tu agente{until}: {url}",
        "你的代理的链接{until}：{url}",
        "エージェントへのリンク{until}：{url}",
    ),
    "until": (
        ", until {day}",
        ", bis {day}",
        ", jusqu'au {day}",
        ", hasta el {day}",
        "，有效期至 {day}",
        "、{day}まで",
    ),
    "waits": (
        "`{tool}` waits for your yes (escalation {id}).",
        "`{tool}` wartet auf dein Ja (Eskalation {id}).",
        "`{tool}` attend votre accord (escalade {id}).",
        "`{tool}` espera tu sí (escalación {id}).",
        "`{tool}` 等待你同意（编号 {id}）。",
        "`{tool}` はあなたの承認待ちです（{id}）。",
    ),
    "not_attached": (
        "I found no passage in {names} that answers this.",
        "In {names} habe ich keine Stelle gefunden, die das beantwortet.",
        "Aucun passage de {names} n'y répond.",
        "Ningún pasaje de {names} lo responde.",
        "{names} 中没有找到能回答的段落。",
        "{names} の中に答えになる箇所は見つかりませんでした。",
    ),
    "cut": (
        "(Only the beginning of this file was read.)",
        "(Von dieser Datei wurde nur der Anfang gelesen.)",
        "(Seul le début de ce fichier a été lu.)",
        "(Solo se leyó el comienzo de este archivo.)",
        "（只读取了文件的开头部分。）",
        "（このファイルは先頭だけを読みました。）",
    ),
    "not_offered": (
        "I understood that as `{tool}`, but that tool is not available to me here.",
        "Ich habe das als `{tool}` verstanden, aber dieses Werkzeug steht mir hier "
        "nicht zur Verfügung.",
        "J'ai compris `{tool}`, mais cet outil ne m'est pas accessible ici.",
        "Entendí `{tool}`, pero esa herramienta no está disponible aquí.",
        "我理解为 `{tool}`，但这里不能使用该工具。",
        "`{tool}` と理解しましたが、ここでは使えません。",
    ),
    "refused": (
        "`{tool}` was refused: {reason}",
        "`{tool}` wurde abgelehnt: {reason}",
        "`{tool}` a été refusé : {reason}",
        "`{tool}` fue rechazado: {reason}",
        "`{tool}` 被拒绝：{reason}",
        "`{tool}` は拒否されました：{reason}",
    ),
}
_PLACE = {"en": 0, "de": 1, "fr": 2, "es": 3, "zh": 4, "ja": 5}


def say(language: Language, name: str, *, owner: str = "", **values: object) -> str:
    """Give a fixed sentence, with its values in place.

    With an `owner`'s name as it is said to somebody else than them.
    """
    said = (phrases_for_others.SAID.get(name) or _SAID[name]) if owner else _SAID[name]
    sentence = said[_PLACE[language]].replace("{owner}", owner)
    for key, value in values.items():
        sentence = sentence.replace("{" + key + "}", str(value))
    return sentence


def language_of(message: str) -> Language:
    """Give the language that a message is most likely written in.

    English when nothing speaks for another.
    """
    text = message[:_READ].lower().replace("’", "'")
    if _KANA.search(text):
        return "ja"
    if len(_HAN.findall(text)) * 2 > len(re.findall(r"[a-z]", text)):
        return "zh"
    words = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", text)
    points = {
        language: sum(word in common for word in words) for language, common in _WORDS.items()
    }
    for language, sign, weight in _SIGNS:
        points[language] += weight if sign.search(text) else 0
    return cast(Language, max(points, key=lambda language: points[language]))
