import type { Texts } from "./texts.ts";

const minutes = (count: number): string => (count === 1 ? "eine Minute" : `${count} Minuten`);

export const german: Texts = {
  languageName: "Deutsch",
  otherLanguage: "Sprache",
  helpDesk: "Helpdesk",
  privacy: "Datenschutz",
  startAgain: "Neu beginnen",
  skip: "Zum Inhalt springen",
  reference: "Vorgangsnummer",
  time: "Zeit",
  quoteThis: "Wenn das immer wieder geschieht, nennen Sie Ihrem Helpdesk:",

  signIn: {
    title: "Anmelden",
    toContinueTo: "weiter zu",
    to: { console: "weiter zur Verwaltung", devices: "um Ihre Geräte einzurichten und zu verwalten" },
    sessionEnded:
      "Ihre Sitzung ist abgelaufen. Melden Sie sich noch einmal an, dann geht es dort weiter, wo Sie waren.",
    username: "Benutzername",
    password: "Passwort",
    submit: "Anmelden",
    campusAccount: "Mit dem Hochschulkonto anmelden",
    or: "oder mit einem lokalen Konto",
    wrong: "Der Benutzername oder das Passwort ist falsch. Bitte prüfen Sie beide und versuchen Sie es noch einmal.",
    tooManyTries: (count) => `Zu viele Versuche. Bitte warten Sie ${minutes(count)} und versuchen Sie es dann erneut.`,
  },

  apps: {
    title: "Gerät mit einer App einrichten",
    install: "Installieren Sie die App geteduroam:",
    search: "Öffnen Sie sie und suchen Sie nach",
    type: "Öffnen Sie sie und geben Sie diese Adresse ein:",
    finish: "Melden Sie sich an und tippen Sie auf „Dieses Gerät einrichten“.",
    without: "Ohne App",
  },

  setUpDevice: {
    title: "Dieses Gerät einrichten",
    asks: (app, device) => `Die App ${app} auf ${device} bittet um ein Profil.`,
    intro: "Damit verbindet sich dieses Gerät künftig von selbst mit dem WLAN.",
    careful: "Fahren Sie nur fort, wenn Sie die App selbst geöffnet haben.",
    name: "Name des Geräts",
    where: "Wohin kommt das Profil?",
    newDevice: "Neues Gerät",
    inPlaceOf: (name) => `Anstelle von ${name}`,
    full: (limit) => `Alle ${limit} Profile sind in Gebrauch, deshalb tritt das neue an die Stelle eines anderen.`,
    cancel: "Abbrechen",
    submit: "Dieses Gerät einrichten",
    toDevices: "Meine Geräte",
    objections: {
      user_locked: {
        title: "Ihr Konto ist gesperrt",
        text: "Sie können im Moment keine Geräte hinzufügen. Fragen Sie Ihren Helpdesk.",
      },
      user_not_permitted: {
        title: "Dieser Dienst steht Ihnen nicht offen",
        text: "Ihre Einrichtung erlaubt Ihrem Konto nicht, den Dienst zu nutzen. Fragen Sie den Helpdesk, ob es freigeschaltet werden soll.",
      },
      profile_limit_reached: {
        title: "Alle Ihre Profile sind in Gebrauch",
        text: (limit) =>
          `${limit} von ${limit} in Gebrauch. Widerrufen Sie unter „Meine Geräte“ eines, das Sie nicht mehr brauchen, und öffnen Sie die App erneut.`,
      },
      limited: {
        title: "Zu viele Geräte innerhalb einer Stunde",
        text: (time) => `Sie können das nächste ab ${time} einrichten.`,
      },
    },
  },

  realmChoice: {
    title: "Zu welcher Einrichtung gehören Sie?",
    text: "Wählen Sie Ihre Einrichtung, um sich anzumelden.",
  },

  signedIn: {
    title: "Sie sind angemeldet",
    as: "Angemeldet als",
    devices: "Meine Geräte",
    administration: "Verwaltung",
    signOut: "Abmelden",
    notYou: "Nicht Sie? Konto wechseln",
  },

  signInLink: {
    title: "Anmelden",
    as: "Dieser Link meldet Sie an als",
    once: "Er funktioniert nur einmal.",
    submit: "Anmelden",
  },

  newPassword: {
    title: "Passwort festlegen",
    why: "Ihr Link galt nur einmal. Mit einem Passwort können Sie sich wieder anmelden.",
    username: "Benutzername",
    password: (length) => `Passwort, mindestens ${length} Zeichen`,
    repeated: "Dasselbe Passwort noch einmal",
    submit: "Passwort speichern",
    later: "Jetzt nicht",
    short: (length) => `Das Passwort muss mindestens ${length} Zeichen haben.`,
    long: "Das Passwort ist zu lang.",
    differs: "Die beiden Passwörter sind verschieden. Bitte geben Sie zweimal dasselbe ein.",
  },

  noWayBack: {
    title: "Abmelden ohne Weg zurück?",
    text: "Sie haben sich mit einem Link angemeldet, der nur einmal galt, und haben kein Passwort. Nach dem Abmelden brauchen Sie einen neuen Link vom Betreiber, um sich wieder anzumelden.",
    setPassword: "Passwort festlegen",
    stay: "Angemeldet bleiben",
    signOut: "Trotzdem abmelden",
  },

  consent: {
    title: (application) => `Darf ${application} für Sie handeln?`,
    as: "Angemeldet als",
    notYou: "Nicht Sie?",
    intro: "Die Anwendung könnte dann:",
    isNew: "neu",
    returnTo: "Sie kehren zurück zu",
    otherReturnsTo: "Andere Anmeldungen kehren eventuell zurück zu",
    appOnDevice: (scheme) => `einer App auf diesem Gerät (${scheme})`,
    withdraw: "Was Sie erlauben, wird gespeichert. Sie können es bei „Meine Geräte“ unter „Anwendungen“ zurücknehmen.",
    cancel: "Abbrechen",
    allow: "Erlauben",
  },
  scopes: {
    openid: "Sie anmelden",
    offline_access: "Sie angemeldet halten",
    profile: "Ihren Namen sehen",
    email: "Ihre E-Mail-Adresse sehen",
    address: "Ihre Anschrift sehen, falls sie bekannt ist",
    phone: "Ihre Telefonnummer sehen, falls sie bekannt ist",
    "profile.create": "Profile anlegen",
    "profile.delete": "Profile widerrufen",
    "profile.modify": "Profile ändern",
    "profile.read": "Profile ansehen",
    "profile.offer": "Links und Codes erstellen, mit denen Personen ein Gerät einrichten",
    "realm.read": "die Einstellungen des Realms ansehen",
    "realm.modify": "die Einstellungen des Realms ändern",
    "user.read": "Personen ansehen",
    "user.modify": "Personen anlegen und sperren und ihren Zugang wiederherstellen",
    "user.lock": "Personen sperren und entsperren und ihre Anmeldungen beenden",
    "user.delete": "den Zugang von Personen beenden",
    "guest.read": "Gastkonten und ihre Links ansehen",
    "guest.view": "Gastkonten ohne ihre Links ansehen",
    "guest.create": "Gastkonten anlegen",
    "guest.modify": "Gastkonten ändern",
    "guest.delete": "Gastkonten und ihre Profile widerrufen",
    "infrastructure.read": "Serverzertifikate ansehen",
    "infrastructure.create": "Serverzertifikate anlegen",
    "infrastructure.delete": "Serverzertifikate widerrufen",
    "audit.read": "das Protokoll lesen",
    "application.read": "Anwendungen ansehen",
    "application.modify": "Anwendungen registrieren und ändern",
    "job.read": "Sammelaufträge ansehen",
    "job.create": "Sammelaufträge starten",
    "role.modify": "Rollen vergeben und entziehen",
    "radius.read": "Widerrufe (um die Geräte zu trennen) und die VLANs von Geräten lesen",
    scim: "Personen aus einem Verzeichnis anlegen und ändern und ihren Zugang beenden",
  },

  signOutQuestion: {
    title: "Abmelden?",
    text: "Eine Anwendung bittet darum, Sie in diesem Browser abzumelden.",
    ofApplication: (application) => `${application} bittet darum, Sie in diesem Browser abzumelden.`,
    signOut: "Abmelden",
    stay: "Angemeldet bleiben",
  },

  signedOut: {
    title: "Sie sind abgemeldet",
    ofApplication: (application) => `Sie sind von ${application} abgemeldet.`,
    text: "Sie können dieses Fenster schließen. Schließen Sie an einem gemeinsam genutzten Rechner auch den Browser.",
    signInAgain: "Wieder anmelden",
    backTo: (application) => `Zurück zu ${application}`,
  },

  wait: (count) => `Bitte warten Sie ${minutes(count)} und versuchen Sie es dann erneut.`,
  withRest: (moment, rest) => `${moment}, noch ${rest}`,
  devicesStay: (moment) => `Ihre Geräte bleiben im Netz bis zum ${moment}.`,
  problems: {
    bad_request: {
      title: "Diese Anfrage funktioniert nicht",
      happened: "Was Ihr Browser gesendet hat, ist unvollständig oder fehlerhaft.",
      remedy: "Gehen Sie zurück zu der Anwendung, aus der Sie kommen, und versuchen Sie es noch einmal.",
    },
    method_not_allowed: {
      title: "Das geht hier nicht",
      happened: "Diese Seite lässt sich so nicht benutzen.",
      remedy: "Gehen Sie zurück und klicken Sie noch einmal auf den Link oder den Knopf.",
    },
    unknown_client: {
      title: "Unbekannte Anwendung",
      happened: "Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt oder wurde abgeschaltet.",
      remedy: "Wenden Sie sich an die Betreiber der Anwendung.",
    },
    redirect_mismatch: {
      title: "Diese Anwendung ist nicht richtig eingerichtet",
      happened: "Die Adresse, zu der Sie zurückkehren würden, ist nicht die für die Anwendung registrierte.",
      remedy: "Wenden Sie sich an die Betreiber der Anwendung. An diese Adresse wurde nichts gesendet.",
    },
    logout_refused: {
      title: "Sie wurden nicht abgemeldet",
      happened: "Die Anwendung hat auf eine Weise darum gebeten, der nicht zu trauen ist.",
      remedy: "Melden Sie sich in der Anwendung noch einmal ab, oder schließen Sie den Browser.",
    },
    form_expired: {
      title: "Bitte versuchen Sie das noch einmal",
      happened: "Die Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an.",
      remedy: "Erlauben Sie Cookies für diese Seite und beginnen Sie neu.",
    },
    offboarded: {
      title: "Ihr Zugang ist beendet",
      happened: "Ihr Konto ist hier nicht mehr aktiv.",
      remedy: "Fragen Sie den Helpdesk, wenn Sie das für einen Irrtum halten.",
    },
    not_found: {
      title: "Hier ist nichts",
      happened: "Was Sie suchen, gibt es nicht, oder es gehört Ihnen nicht.",
      remedy: "Gehen Sie zurück, oder beginnen Sie bei „Meine Geräte“.",
    },
    link_ended: {
      title: "Dieser Link funktioniert nicht mehr",
      happened: "Er wurde schon benutzt, oder seine Zeit ist abgelaufen.",
      remedy: "Bitten Sie um einen neuen.",
    },
    no_sign_in: {
      title: "Hier kann sich niemand anmelden",
      happened: "Es ist keine Anmeldemöglichkeit eingerichtet.",
      remedy: "Wenden Sie sich an Ihren Helpdesk.",
    },
    too_many_requests: {
      title: "Zu viele Versuche",
      happened: "Es gab in kurzer Zeit zu viele Versuche.",
      remedy: "Bitte warten Sie einen Moment und versuchen Sie es dann erneut.",
    },
    upstream_unreachable: {
      title: "Die Anmeldung Ihrer Hochschule antwortet nicht",
      happened: "Der Anmeldedienst Ihrer Einrichtung ist im Moment nicht zu erreichen.",
      remedy: "Bitte versuchen Sie es in einigen Minuten noch einmal.",
    },
    upstream_refused: {
      title: "Ihre Anmeldung wurde nicht abgeschlossen",
      happened: "Der Anmeldedienst Ihrer Einrichtung hat Sie nicht zugelassen, oder Sie haben abgebrochen.",
      remedy: "Beginnen Sie neu, oder fragen Sie Ihren Helpdesk.",
    },
    upstream_not_permitted: {
      title: "Dieser Dienst steht Ihnen nicht offen",
      happened: "Ihre Einrichtung erlaubt diesem Konto nicht, den Dienst zu nutzen.",
      remedy: "Fragen Sie den Helpdesk, ob es freigeschaltet werden soll.",
    },
    upstream_no_identifier: {
      title: "Ihrer Anmeldung fehlt die Kennung",
      happened: "Der Anmeldedienst Ihrer Einrichtung hat nicht mitgeteilt, wer Sie sind.",
      remedy: "Wenden Sie sich an den Helpdesk: Die Kennung ist für diesen Dienst nicht freigegeben.",
    },
    upstream_bad_answer: {
      title: "Ihre Anmeldung hat nicht funktioniert",
      happened: "Der Anmeldedienst Ihrer Einrichtung hat eine unbrauchbare Antwort gegeben.",
      remedy: "Beginnen Sie neu. Bleibt es so, sagen Sie es Ihrem Helpdesk.",
    },
    upstream_attempt_ended: {
      title: "Diese Anmeldung ist beendet",
      happened: "Sie hat zu lange gedauert, war schon abgeschlossen oder begann in einem anderen Browser.",
      remedy: "Beginnen Sie neu.",
    },
    identity_conflict: {
      title: "Ihr Konto ließ sich nicht zuordnen",
      happened: "Die Identität, die Ihre Einrichtung übermittelt, gehört hier schon zum Konto einer anderen Person.",
      remedy: "Wenden Sie sich an Ihren Helpdesk. Das lässt sich nur gemeinsam mit Ihnen klären.",
    },
    not_set_up: {
      title: "Für Sie gibt es hier noch kein Konto",
      happened: "Ihre Einrichtung hat Sie noch nicht zu diesem Dienst hinzugefügt.",
      remedy: "Fragen Sie den Helpdesk.",
    },
    console_missing: {
      title: "Die Verwaltung fehlt",
      happened: "Der Dienst wurde ohne sie gestartet.",
      remedy: "Wer den Dienst betreibt, muss sie einmal bauen: npm run build",
    },
    unavailable: {
      title: "Bitte versuchen Sie es gleich noch einmal",
      happened: "Ein Teil des Dienstes ist im Moment nicht verfügbar.",
      remedy: "Warten Sie einige Sekunden und versuchen Sie es dann erneut.",
    },
    broken: {
      title: "Etwas ist schiefgegangen",
      happened: "Es ist unser Fehler, und er wurde aufgezeichnet.",
      remedy: "Bitte versuchen Sie es noch einmal.",
    },
  },
};
