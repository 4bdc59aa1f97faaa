"""Spanish words and what they tell. A `*` stands for any ending; a plural s needs none."""

WORDS = {
    "alarm": """
        urgente*, urgencia*, inmediatamente, de inmediato, cuanto antes, lo antes posible, ya mismo, ahora mismo, último aviso, último
        recordatorio, última notificación, corte de, suspendid*, suspensión, avería, averiad*, caíd*, se cayó, no responde, no funciona, fuga de,
        inundación, incendio, robad*, hackead*, fraude, alerta de seguridad, embargo, desahucio, antes del mediodía, bloquead*, emergencia, vuelo
        cancelado, cancelad*, amenaza*, cobrado dos veces, perdid*, inconsciente, sangra, en el hospital""",
    "overdue": "vencid*, atrasad*, impagad*, impago, con retraso, fuera de plazo, en mora, "
    "pendiente desde",
    "now": "fecha límite, plazo, vence, último día",
    "blocked": """
        esperando tu, esperando su, espera tu, espera su, esperan tu, esperan su, a la espera de, rechazad*, falló, fallid*, caduca, caducan,
        expira, falta, faltan, necesita tu, necesita su, necesitan tu""",
    "soon": "esta semana, pronto, recordatorio, en dos días, seguimiento, próximamente",
    "calm": """
        algún día, quizás, quizá, tal vez, sin prisa, no hay prisa, no es urgente, no corre prisa, cuando puedas, cuando pueda, cuando tengas
        tiempo, para tu información, a título informativo, opcional*, más adelante, más tarde, nada que hacer, no requiere acción, si te apetece""",
    "settled": """
        ha sido pagad*, fue pagad*, pagada, completad*, resuelt*, enviad* tu pedido, entregad*, confirmación de pedido, confirmad*, recibo,
        gracias por, con éxito, aprobad*, ha sido enviado""",
    "weight": """
        factura*, pago*, pagar, transferencia, alquiler, inquilin*, casero, arrendamiento, fianza, préstamo*, crédito, hipoteca, banco, deuda*,
        impuesto*, hacienda, iva, declaración de la renta, contable, contabilidad, gestoría, contrato*, abogad*, legal*, juzgado, tribunal,
        demanda, notari*, firmar, firma, firmad*, cliente*, paciente*, jefe, jefa, director*, dirección general, gerente, consejo, junta
        directiva, inversor*, accionista*, entrevista*, candidatura, solicitud, examen*, oposición, oposiciones, tesis, defensa, beca*, trámite*,
        ayuntamiento, extranjería, pasaporte*, dni, visado*, permiso*, licencia*, carné de conducir, certificado*, seguro, seguros, seguridad
        social, pensión, jubilación, ahorro*, médic*, doctor*, dentista, hospital*, clínica, cirugía, operación, medicamento*, medicación, receta
        médica, análisis, resultado*, vacuna*, pediatra, salud, terapi*, seguridad, servidor*, base de datos, producción, lanzamiento,
        presupuesto*, licitación, propuesta, sueldo, salario, nómina*, presentación, auditoría, trimestre, trimestral*, negociación, inspector*,
        inspección, itv, cumplimiento, ley, policía, accidente*, caldera, calefacción, tejado, electricista, fontaner*, funeral, entierro,
        divorcio, custodia, tutoría, matrícula, inscripción, colegio, partida de nacimiento, proveedor*, reembolso, reclamación, contratación,
        despido, dimisión, obligatori*, multa*, plazo, informe anual, reclamación*, pedido*, disputa, cargo en, extracto, domiciliación, vuelo*,
        aerolínea, embajada, consulado, aduana, deberes, trabajo de clase, redacción, profesor*, guardería, maestr*, electricidad, contador,
        comunidad de vecinos, administrador, reparación, taller, revisión, neumáticos, juicio, testigo, herencia, testamento, poder notarial,
        pensión alimenticia, residencia de mayores, ecografía, matrona, análisis de sangre, óptica, fisioterap*, farmacia, inyección, insulina,
        tensión, declaración de impuestos, baja médica, baja maternal, nota de gastos, gastos, hoja de horas, comisión, renovación, renovar,
        entrega, existencias, inventario, feria, nota de prensa, periodista, queja*, sindicato, periodo de prueba, preaviso, copia de seguridad,
        cortafuegos, despliegue, subvención, informe*, informe final, empadronamiento, ayuda, recibo del agua, recibo de la luz, factura del agua,
        veterinari*, médico de cabecera, tarjeta sanitaria, oferta para, placas solares, presupuesto de""",
    "growth": """
        aprender, curso*, formación, planificar, plan, planificación, estrategi*, hoja de ruta, objetivo*, arquitectura, decisión, investigación,
        preparar, preparación, carrera profesional, sucesión, alianza, comprar una casa, comprar casa, comprar un piso, estudio de mercado, largo
        plazo, mentor*, documentación, prototipo, proyecto*, primeros auxilios, mejorar, automatizar, reorientación, currículum, mudanza, mudarse,
        hábito*, voluntariado, incorporación, guía, fondo de emergencia, meditación, idioma*""",
    "light": """
        boletín, newsletter*, promo*, rebaja*, encuesta*, café, almuerzo, cena, cervezas, cine, película*, serie, series, juego*, concurso,
        chiste*, letra de, canción*, receta*, podcast*, lista de reproducción, regalo*, foto*, álbum, pegatina*, plantas, regar, jardín, mueble*,
        ordenar, trastero, garaje, pintar, fiesta, barbacoa, yoga, gimnasio, fútbol, partido, tenis, pádel, coro, concierto*, exposición, museo,
        música, novela*, senderismo, paseo, paquete, catálogo*, gato, perro, tarta, pizza, vacaciones, lotería, peluquer*, club de lectura, fondo
        de pantalla, prestar, prestas, cargador, yogur, nevera, ropa, planchar, vidrio, posavasos, velas, cortinas, póster, sellos, cómic*,
        vinilo*, documental, capítulo*, mercadillo, sueños, inauguración, playa, postal, siesta, chistes, navidad""",
    "asked": """
        por favor responde, por favor conteste, por favor confirma, por favor confirme, responde, responder, respuesta, contestar, contesta,
        llámame, llámeme, devuélveme la llamada, puedes, puede usted, podrías, podría, tienes, tiene usted, qué te parece, qué opinas, tu opinión,
        su opinión, su decisión, tu decisión, su aprobación, tu aprobación, avísame, avíseme, dime, pregunta si, pregunta por, quiere saber""",
    "offer": """
        oferta*, rebaja*, descuento*, cupón, cupones, código promocional, envío gratis, última oportunidad, últimas horas, aprovecha, chollo*, a
        mitad de precio, mitad de precio, darse de baja, boletín, newsletter*, novedades, sorteo, gana un, prueba gratis, promoción, promociones,
        solo hoy, catálogo""",
    "high": "prioridad alta, alta prioridad, prioritari*, importante*, imprescindible*, esencial*",
    "low": "prioridad baja, baja prioridad, secundari*, sin importancia",
}
