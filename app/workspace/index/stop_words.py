"""Words that are in almost every text of a language.

A note is not found because it holds one of several.
"""

_LISTS = (
    # English
    "a about after all also am an and any are as at be been but by can could did "
    "do does for from had has have he her his how i if in into is "
    "it its me my no not of on or our out s she should so t than that the their "
    "them then there these they this to up us was we were what "
    "when where which who why will with would you your",
    # German
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die du "
    "ein eine einem einen einer er es für hat hatte ich ihr im in "
    "ist ja kann man mein meine mich mir mit nach nicht noch nur ob oder sein sich "
    "sie sind so um und uns vom von vor war was wenn wer wie "
    "wir wird wo zu zum zur über",
    # Spanish
    "al como con cuando cual de del donde el ella en era es esta este fue ha hay "
    "la las le lo los me mi mis muy más ni no nos o para pero por "
    "porque que quien qué se si sin sobre son su sus también te tiene un una unos y ya yo",
    # French
    "au aux avec c ce ces cette d dans de des du elle en est et eu il ils j je l "
    "la le les leur lui m ma mais mes moi mon n ne nos notre nous "
    "on ou où par pas pour qu que quel quelle qui quoi sa se ses son sont sur t ta "
    "te tes toi ton tu un une vos votre vous y à été être",
    # Italian, Portuguese, Dutch
    "che chi ci con da dei del della di e gli ho i il la le lo ma mi nel nella non "
    "per più sono su una uno as ao com dos da do e em foi mais "
    "mas na não nas no nos o os para pela pelo por quando se sem ser seu sua tem "
    "um uma aan bij dat de die dit een en er het hij ik is maar "
    "met naar niet nog om ook op te tot uit van voor was wat we wij ze zijn zo",
)
STOP_WORDS = frozenset(word for listed in _LISTS for word in listed.split())
