"""The same six sentences in ten languages, about nothing in particular.

What their vectors differ in, and what all of them share, tells of the language alone.
"""

SENTENCES = (
    (
        "A note about what I did today.",
        "What do I still have to do this week?",
        "We talked about the plan and the costs.",
        "The weather was fine and we went out.",
        "How does this work?",
        "A list of things to buy and to remember.",
    ),
    (
        "Eine Notiz darüber, was ich heute gemacht habe.",
        "Was muss ich diese Woche noch tun?",
        "Wir haben über den Plan und die Kosten gesprochen.",
        "Das Wetter war gut und wir gingen hinaus.",
        "Wie funktioniert das?",
        "Eine Liste von Dingen, die zu kaufen und zu merken sind.",
    ),
    (
        "Une note sur ce que j'ai fait aujourd'hui.",
        "Que dois-je encore faire cette semaine ?",
        "Nous avons parlé du plan et des coûts.",
        "Il faisait beau et nous sommes sortis.",
        "Comment ça marche ?",
        "Une liste de choses à acheter et à retenir.",
    ),
    (
        "Una nota sobre lo que hice hoy.",
        "¿Qué tengo que hacer todavía esta semana?",
        "Hablamos del plan y de los costes.",
        "Hacía buen tiempo y salimos.",
        "¿Cómo funciona esto?",
        "Una lista de cosas que comprar y recordar.",
    ),
    (
        "Una nota su quello che ho fatto oggi.",
        "Che cosa devo ancora fare questa settimana?",
        "Abbiamo parlato del piano e dei costi.",
        "Il tempo era bello e siamo usciti.",
        "Come funziona?",
        "Una lista di cose da comprare e da ricordare.",
    ),
    (
        "Uma nota sobre o que fiz hoje.",
        "O que ainda tenho de fazer esta semana?",
        "Falámos do plano e dos custos.",
        "Estava bom tempo e saímos.",
        "Como funciona isto?",
        "Uma lista de coisas para comprar e lembrar.",
    ),
    (
        "Заметка о том, что я сегодня делал.",
        "Что мне ещё нужно сделать на этой неделе?",
        "Мы говорили о плане и о расходах.",
        "Погода была хорошая, и мы вышли на улицу.",
        "Как это работает?",
        "Список того, что надо купить и запомнить.",
    ),
    (
        "关于我今天做了什么的笔记。",
        "这周我还要做什么？",
        "我们谈了计划和费用。",
        "天气很好，我们出去了。",
        "这是怎么运作的？",
        "要买和要记住的东西的清单。",
    ),
    (
        "今日したことについてのメモ。",
        "今週まだ何をしなければならないか。",
        "計画と費用について話しました。",
        "天気が良かったので出かけました。",
        "これはどう動くのか。",
        "買うものと覚えておくことのリスト。",
    ),
    (
        "오늘 내가 한 일에 대한 메모.",
        "이번 주에 아직 무엇을 해야 하나요?",
        "우리는 계획과 비용에 대해 이야기했습니다.",
        "날씨가 좋아서 우리는 밖으로 나갔습니다.",
        "이것은 어떻게 작동하나요?",
        "사야 할 것과 기억해야 할 것의 목록.",
    ),
)
