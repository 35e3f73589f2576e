#pragma once

// The same few sentences in the 20 languages of papilio::stop_words: everyday text, most of which is function words.
namespace papilio::lda {

struct LanguageText {
  const char* language;
  const char* text;
};

inline constexpr LanguageText language_texts[] = {
    {"catalan",
     "Quan van arribar a la casa ja era tard, i no hi havia ningú que els pogués obrir la porta. Van haver d'esperar "
     "fins "
     "que la dona que tenia la clau va tornar del mercat. Ella va dir que ho sentia molt, però que no havia sabut quan "
     "vindrien. Després d'això tots eren a la cuina, i parlaven de tot el que havia estat i del que encara havia de "
     "ser."},
    {"czech",
     "Když přišli k domu, bylo už pozdě a nebyl tam nikdo, kdo by jim mohl otevřít dveře. Museli čekat, až se vrátí z "
     "trhu "
     "žena, která měla klíč. Řekla, že je jí to líto, ale že nevěděla, kdy by mohli přijít. Potom byli všichni v "
     "kuchyni a "
     "mluvili o tom, co bylo, a také o tom, co ještě jen bude, protože to pro ně nebylo nic nového."},
    {"danish",
     "Da de kom til huset, var det allerede sent, og der var ikke nogen, som kunne åbne døren for dem. De måtte vente, "
     "indtil kvinden, som havde nøglen, kom tilbage fra markedet. Hun sagde, at hun var ked af det, men at hun ikke "
     "havde "
     "vidst, hvornår de ville komme. Efter dette var de alle sammen i køkkenet, og de talte om det, der havde været, "
     "og "
     "om det, der endnu skulle blive."},
    {"dutch",
     "Toen zij bij het huis kwamen, was het al laat, en er was niemand die de deur voor hen kon openen. Zij moesten "
     "wachten tot de vrouw die de sleutel had van de markt terug was. Zij zei dat het haar speet, maar dat zij niet "
     "had "
     "geweten wanneer zij zouden komen. Daarna waren zij allen in de keuken, en zij spraken over wat er was geweest en "
     "over wat er nog moest worden."},
    {"english",
     "When they came to the house, it was already late, and nobody was there who could open the door for them. They "
     "had to "
     "wait until the woman who had the key came back from the market. She said that she was sorry, but that she had "
     "not "
     "known when they would come. After that they were all in the kitchen, and they talked about what had been and "
     "about "
     "what was still to be."},
    {"finnish",
     "Kun he tulivat talon luo, oli jo myöhä, eikä siellä ollut ketään, joka olisi voinut avata heille oven. Heidän "
     "piti "
     "odottaa, kunnes nainen, jolla oli avain, oli tullut takaisin torilta. Hän sanoi, että se ei ollut hyvä, mutta "
     "hän "
     "ei ollut tiennyt, milloin he tulisivat. Sen jälkeen he kaikki olivat keittiössä, ja he puhuivat siitä, mitä oli "
     "ollut ja mitä vielä olisi."},
    {"french",
     "Quand ils sont arrivés à la maison, il était déjà tard, et personne n'était là qui aurait pu leur ouvrir la "
     "porte. "
     "Ils ont dû attendre que la femme qui avait la clé soit de retour du marché. Elle a dit que tout cela était une "
     "erreur, mais qu'elle ne savait pas quand ils seraient là. Après cela ils étaient tous dans la cuisine, et ils "
     "ont "
     "parlé de tout ce qui avait été et de ce qui sera encore pour eux."},
    {"german",
     "Als sie zu dem Haus kamen, war es schon spät, und niemand war da, der ihnen die Tür hätte öffnen können. Sie "
     "mußten "
     "warten, bis die Frau, die den Schlüssel hatte, wieder vom Markt zurück war. Sie sagte, daß es ihr leid tue, daß "
     "sie "
     "aber nicht gewußt habe, wann sie kommen würden. Danach waren sie alle in der Küche, und sie sprachen über das, "
     "was "
     "gewesen war, und über das, was noch werden sollte."},
    {"greek",
     "Όταν ήρθαν στο σπίτι, ήταν ήδη αργά, και δεν ήταν κανείς εκεί που να μπορεί να τους ανοίξει την πόρτα. Έπρεπε να "
     "περιμένουν μέχρι να γυρίσει από την αγορά η γυναίκα που είχε το κλειδί. Αυτή είπε ότι δεν ήταν καλό, αλλά ότι "
     "δεν "
     "είχε μάθει πότε θα έρθουν. Μετά από αυτό ήταν όλοι στην κουζίνα, και μιλούσαν για όλα όσα είχαν γίνει και για "
     "αυτά "
     "που ακόμη θα γίνονται με τους άλλους."},
    {"hungarian",
     "Amikor a házhoz értek, már késő volt, és senki sem volt ott, aki az ajtót nekik kinyitotta volna. Addig kellett "
     "várniuk, amíg az az asszony, akinél a kulcs volt, vissza nem jött a piacról. Azt mondta, hogy nagyon sajnálja, "
     "de "
     "nem volt neki az meg, hogy mikor fognak majd jönni. Azután mind a konyhában voltak, és arról volt szó, hogy mi "
     "volt "
     "és mi lesz még velük."},
    {"indonesian",
     "Ketika mereka tiba di rumah itu, hari sudah malam, dan tidak ada seorang pun yang dapat membuka pintu untuk "
     "mereka. "
     "Mereka harus menunggu sampai perempuan yang ada kunci itu kembali dari pasar. Dia berkata bahwa dia tidak tahu "
     "kapan mereka akan datang, tetapi bahwa itu bukan apa-apa. Setelah itu mereka semua ada di dalam dapur, dan "
     "mereka "
     "berbicara tentang apa yang telah ada dan apa yang masih akan ada."},
    {"italian",
     "Quando sono arrivati alla casa era già tardi, e non c'era nessuno che potesse aprire loro la porta. Hanno dovuto "
     "aspettare fino a quando la donna che aveva la chiave non è tornata dal mercato. Lei ha detto che le dispiaceva "
     "molto, "
     "ma che non aveva saputo quando sarebbero venuti. Dopo di ciò erano tutti nella cucina, e hanno parlato di quello "
     "che "
     "era stato e di tutto quello che ancora sarebbe stato."},
    {"norwegian",
     "Da de kom til huset, var det allerede sent, og det var ikke noen der som kunne åpne døren for dem. De måtte "
     "vente "
     "til kvinnen som hadde nøkkelen, kom tilbake fra markedet. Hun sa at hun var lei av det, men at hun ikke hadde "
     "visst "
     "når de ville komme. Etter dette var de alle sammen i kjøkkenet, og de snakket om det som hadde vært, og om det "
     "som "
     "ennå skulle bli."},
    {"polish",
     "Kiedy przyszli do tego domu, było już późno i nie było tam nikogo, kto mógłby im otworzyć drzwi. Musieli czekać, "
     "aż "
     "kobieta, która miała klucz, będzie znowu z powrotem. Ona powiedziała, że jest jej przykro, ale że nie wiedziała, "
     "kiedy oni będą. Potem wszyscy byli w kuchni i mówili o tym, co już było, oraz o tym, co jeszcze tylko będzie, bo "
     "dla "
     "nich to wszystko było bardzo nowe."},
    {"portuguese",
     "Quando eles chegaram à casa já era tarde, e não havia ninguém que lhes pudesse abrir a porta. Eles tiveram de "
     "esperar até que a mulher que tinha a chave voltasse do mercado. Ela disse que não era nada, mas que ela não "
     "sabia "
     "quando eles viriam. Depois disso eles estavam todos na cozinha, e falavam sobre tudo o que tinha sido e sobre o "
     "que "
     "ainda seria com eles."},
    {"romanian",
     "Când au ajuns la casa aceea era deja târziu, și nu era acolo nimeni care să le poată deschide ușa. Ei au trebuit "
     "să "
     "aștepte până când femeia care avea cheia a venit de la piață. Ea a spus că nu este bine, dar că nu a știut când "
     "vor "
     "fi ei aici. După aceea au fost toți în bucătărie, și au vorbit despre tot ce a fost și despre ceea ce încă va "
     "mai "
     "fi pentru ei."},
    {"russian",
     "Когда они пришли к этому дому, было уже поздно, и там не было никого, кто мог бы им открыть дверь. Они должны "
     "были "
     "ждать, пока женщина, у которой был ключ, не вернётся с рынка. Она сказала, что ей очень жаль, но что она не "
     "знала, "
     "когда они будут здесь. После этого все они были на кухне и говорили о том, что было, и о том, что ещё только "
     "будет "
     "у них, потому что для них это всё было ново."},
    {"spanish",
     "Cuando ellos llegaron a la casa ya era tarde, y no había nadie que les pudiera abrir la puerta. Tuvieron que "
     "esperar "
     "hasta que la mujer que tenía la llave estuvo de vuelta del mercado. Ella dijo que lo sentía mucho, pero que no "
     "había sabido cuándo vendrían. Después de eso todos estaban en la cocina, y hablaban de todo lo que había sido y "
     "también de lo que todavía sería para ellos."},
    {"swedish",
     "När de kom till huset var det redan sent, och det fanns inte någon där som kunde öppna dörren för dem. De måste "
     "vänta tills kvinnan som hade nyckeln var tillbaka från torget. Hon sade att hon inte tyckte om det, men att hon "
     "inte hade vetat när de skulle komma. Efter detta var de alla i köket, och de talade om det som hade varit och om "
     "det som ännu skulle bli."},
    {"turkish",
     "Onlar o eve geldikleri zaman artık çok geçti ve orada onlara kapıyı açacak hiç kimse yoktu. Anahtarı olan kadın "
     "gelene kadar biraz daha beklemek onlar için gerekli oldu. O, bunun için çok üzgün olduğunu, ama onların ne zaman "
     "geleceğini hiç bilmediğini söyledi. Bundan sonra hepsi birlikte içeri girdi ve daha önce olan her şeyi, bir de "
     "sonra olacak olan şeyleri kendi aralarında böyle konuştular. Her şey gibi bu da öyle bir şey değil mi diye "
     "sordu biri, ama bunu kimse ona söylemedi."},
};

}  // namespace papilio::lda
