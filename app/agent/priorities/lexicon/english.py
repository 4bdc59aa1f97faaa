"""English words and what they tell. A `*` stands for any ending; a plural s needs none."""

WORDS = {
    "alarm": """
        urgent*, asap, immediately, right away, right now, at once, emergency, outage, is down, are down, went down, incident, breach*, hacked,
        final notice, final reminder, final warning, last reminder, last warning, shut off, cut off, disconnection, suspended, eviction, evicted,
        leak*, burst, flood*, on fire, broken down, critical, refusing, cannot pay, can't pay, cannot log in, locked out, fraud*, stolen,
        suspicious, data loss, recall, escalat*, security alert, action required, any time now, fail any time, before noon, by noon, end of day,
        eod, cob, time-sensitive, today at the latest, no later than today, in one hour, within the hour, within an hour, crashed, crashing, stuck
        on the road, build broken, build failed, build is broken, tests failing, release blocked, was cancelled, is cancelled, flight cancelled,
        flight canceled, threaten*, charged twice, on hold, stopped working, not working, unreachable, timing out, deadline today, recall notice,
        swallowed, unconscious, bleeding, collapsed, in hospital, ring me, call me back urgently, go offline, goes offline""",
    "overdue": "overdue, past due, late payment, unpaid, missed the deadline, deadline "
    "missed, in arrears, was due, long due",
    "now": "deadline, due, closes at, ends at, by lunch, by lunchtime, before lunch",
    "blocked": """
        blocked, blocking, blocker, waiting for you, waiting on you, waiting for your, waiting on your, waits for you, waits for your, cannot
        continue, can't continue, cannot proceed, holding up, depends on you, failed, fails, declined, rejected, expires, expiring, will expire,
        still missing, is missing, lock everything, otherwise, or else, need your, needs your, stuck""",
    "soon": """
        this week, reminder, follow up, follow-up, following up, soon, in two days, coming days, gentle nudge, just checking in, last call""",
    "calm": """
        someday, some day, some time, sometime, one day, maybe, whenever, no rush, no hurry, not urgent, when you have time, when you get a
        chance, when you can, at your leisure, fyi, for your information, for information only, optional, later, backlog, nice to have, no action
        needed, no action required, nothing to do, nothing you need to do, no need to reply, no reply needed, for the record, eventually, could be
        fun, if you like, if you feel like it, not now, low priority""",
    "settled": """
        was paid, has been paid, been paid, paid in full, passed, completed, resolved, was solved, has shipped, shipped, delivered, was delivered,
        has been delivered, confirmed, confirmation, receipt, thank you for your order, thanks for attending, thanks for joining, thank you for,
        successfully, went well, recap, was approved, is done, all done, order placed, recording, no problems""",
    "weight": """
        invoice*, bill, billing, payment*, pay, payroll, paid, rent, lease*, tenant*, landlord, mortgage, loan*, bank, debt*, tax*, vat, irs,
        accountant, accounting, bookkeep*, contract*, agreement*, nda, legal, lawyer*, attorney*, solicitor*, court, lawsuit, subpoena, notary,
        signed, signing, signature*, countersigned, client*, customer*, patient*, boss, manager*, director, ceo, cfo, cto, board meeting,
        investor*, shareholder*, stakeholder*, interview*, job offer, exam*, final exam, midterm, thesis, dissertation, defence, defense,
        scholarship*, grant application, application, passport*, visa, visas, permit*, licence*, license*, licens*, certificate*, certification,
        insurance, insurer, claim, pension*, retirement, savings, invest, doctor*, dentist*, hospital*, surgery, surgeon, clinic appointment,
        medical, medication, medicine, prescription*, health, blood test, mri, x-ray, scan results, test results, biopsy, vaccin*, pediatrician,
        paediatrician, therapist, therapy, vet, security, vulnerab*, password audit, backup*, outage, production, server*, database*, deploy*,
        launch*, go-live, migration, proposal*, tender, rfp, budget*, salary, salaries, promotion to, deadline, presentation*, present to, pitch*,
        keynote, audit*, quarterly, appraisal, performance review, annual review, 1:1, one-on-one, negotiat*, offer by, the offer, re: offer,
        quotation, estimate for, safety, fire alarm, inspector*, inspection*, compliance, gdpr, regulat*, law, police, accident, leak*, boiler,
        heating, roof, gas, electrician, plumber, funeral, hospice, custody, divorce, school meeting, parent-teacher, parents' evening, enrol*,
        admission*, baby, birth certificate, immigration, citizenship, election, order the part, supplier*, vendor*, shipment delayed, delivery
        to, warranty claim, refund*, merger, acquisition, funding, fundraising, term sheet, series a, series b, due diligence, payslip,
        redundancy, layoff*, hiring, candidate*, onboarding, resign*, reference letter, letter of recommendation, recommendation letter,
        submission, submit, report to, annual report, quarter, price for, pricing, revenue, sales target, forecast, penalt*, overdraft, mandatory,
        required by law, professor, supervisor, examiner, conference talk, manuscript, publisher, editor, patent*, trademark, tls, ssl, domain
        renewal, incident*, tenancy, ceiling, burst pipe, car inspection, brakes, driving test, elderly, mum's operation, dad's operation, chemo*,
        counsellor, burnout, surgery date, board of directors, the board, product release, release date, software release, quote to, sign the, to
        sign, dispute*, transaction*, charged, chargeback, bank statement, direct debit, flight*, airline, boarding, embassy, consulate, customs,
        hotel booking, homework, assignment*, essay*, seminar, coursework, grades, lecture, viva, lab results, ethics, reviewer*, grant proposal,
        funder*, donor*, electricity, water bill, gas bill, utility, utilities, meter reading, council tax, check-up, checkup, checkups,
        check-ups, eye test, optician, optometrist, physio*, midwife, ultrasound, insulin, injection, pharmacy, blood pressure, cholesterol,
        allergy, witness, statement, testimony, inheritance, last will, power of attorney, probate, alimony, child support, kindergarten, nursery,
        daycare, childcare, school place, pick up the kids, care home, nursing home, pipeline, deployment, rollback, latency, cluster, firewall,
        certificate expiry, regression, bug*, purchase order, order from, stock level, shipment, catering contract, permit office, site visit,
        crane, scaffold*, subcontractor*, payslips, expense report*, timesheet*, reimbursement, commission, key account, churn, renewal*, demo
        for, pilot customer, press release, press conference, journalist, crisis, complaint*, union, works council, disciplinary, probation,
        notice period, sick leave, maternity leave, parental leave, fire extinguisher*, smoke alarm*, evacuation, first aiders, car insurance,
        mechanic, breakdown, claim lapses, business review, okr, kpi*, conversion, board report, shareholders' meeting, agm, trustee*, quorum, tax
        return, tax office, tax advis*, registration, deregister, enrolment, headteacher, tutor, court hearing, the hearing, broken build, school
        enrolment, the vet, gp, beneficiar*, my will, update will, update my will, hr, four-day week, photovoltaic, solar panels, heat pump, quote
        from, offer from, voluntary disclosure""",
    "growth": """
        learn*, study for, studying, course*, training, train, workshop, certify, plan for, plan the, planning, plan, strateg*, roadmap, vision,
        okr*, goal*, architecture, design doc, decision, decide, research*, portfolio, skill*, prepare*, preparing, career, succession,
        partnership*, business, market study, market research, next year's, five-year, long-term, mentor*, coach*, network with, documentation,
        write up, prototype, experiment design, rates, process improvement, automate*, migrate, refactor*, outline, draft, structure, house
        purchase, buy a house, adviser, advisor, exercise plan, quit smoking, first-aid, first aid, language class, spend more time with,
        renovation, retirement plan, personal development, onboard*, emergency fund, guide for, handbook, cv, résumé, okrs, offsite, off-site,
        retreat, brainstorm*, speak at, talk at, teach, relocation, move to, emigrate, volunteer*, mission, values, budget plan, habit*, sleep
        better, meditat*, fitness plan, marathon training, side project, certification course, language exam""",
    "light": """
        newsletter*, digest, round-up, roundup, sale, sales, promo*, webinar, survey*, questionnaire, poll, coffee, tea, lunch, sandwich*, brunch,
        drinks, dinner with friends, happy hour, movie*, film*, cinema, series to watch, tv, game*, quiz, trivia, snack*, quotes, joke*, meme*,
        lyrics, song*, recipe*, podcast*, playlist*, gift*, album, photo*, wifi, wi-fi, sticker*, doodle*, mascot, plants, watering, garden*,
        furniture, wallpaper, icon, icons, emoji*, avatar, profile picture, hobby, fun, funny, tidy, tidying, declutter*, repaint, paint the,
        hallway, cellar, attic, bookshelf, party, potluck, rota, bowling, yoga, pilates, gym, football, soccer, tennis, golf, darts, choir, band,
        concert*, exhibition, museum, music, novel*, book club, books to read, board game*, hike, hiking, picnic, bbq, barbecue, parcel*, package,
        catalogue*, catalog, leaving do, farewell, birthday card, cat, dog, pets, rabbits, goldfish, names for, bucket list, travel photos,
        festival, fantasy league, raffle, lottery, horoscope, crossword, knitting, lego, trivia night, karaoke, socks, sneakers, shoes, outfit,
        haircut, car wash, dusting, vacuum, sort the, rearrange, restock, bookmarks, desktop background, screensaver, ringtone, gossip, team
        photo, swag, t-shirt*, merch, secret santa, cake, cookies, ice cream, pizza, beer, wine tasting, holidays begin, holiday photos, binge,
        playlist, borrow*, lend, yoghurt, yogurt, fridge, charger, dvd*, iron shirts, ironing, laundry, vinyl, documentary, episodes, octopus*, tv
        show*, ranking, trainers, shirt*, dreams, standup, stand-up, water cooler, street market*, brunch*, tribute, vernissage, sudoku, puzzle*,
        coasters, candles, decoration*, curtains, cushion*, mugs, keyring, poster*, stamps, comic*, nap, sunbath*, beach, weekend picks, viewed
        your profile, people you may know, new follower*, juggling, spice rack, cocktails, gin, flea market, salsa, badge""",
    "asked": """
        please reply, please respond, please answer, please confirm, please call, please let me know, please send, please advise, please get back,
        let me know, can you, could you, would you, will you, are you able, do you have, what do you think, your thoughts, your feedback, your
        answer, your reply, your response, your decision, your approval, awaiting your, looking forward to hearing, hear from you, get back to me,
        rsvp, reply by, answer by, respond by, call me, asks whether, asks if, is asking, wants to know, wants it, wants your, is waiting for, are
        waiting for, needs an answer, need an answer, needs a reply, reply needed, response needed, waiting for your""",
    "offer": """
        sale ends, final hours, last chance, limited time, limited offer, special offer, exclusive offer, deal, deals, discount*, coupon*,
        voucher*, promo code, free shipping, buy now, shop now, subscribe, unsubscribe, black friday, cyber monday, flash sale, early bird,
        clearance, newsletter*, new arrivals, our catalogue, wholesale catalogue, half price, bargain*, cashback, rewards points, win a, you could
        win, free trial, upgrade now, webinar, sneak peek, best sellers, trending, recommended for you, rate your, rate our, sponsored""",
    "high": """
        high priority, top priority, priority high, highest priority, important, crucial, must do, must-do, p1, vital, essential""",
    "low": "low priority, priority low, unimportant, minor, trivial, p4, p5",
}
