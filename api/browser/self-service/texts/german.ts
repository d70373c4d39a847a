import { germanWords } from "../../../../domain/words/german.ts";
import type { Texts } from "./texts.ts";

const orList = (names: readonly string[]): string => names.join(" oder ");

export const german: Texts = {
  navigation: {
    label: "Hauptmenü",
    devices: "Meine Geräte",
    applications: "Anwendungen",
    administration: "Verwaltung",
    signOut: "Abmelden",
    signedInAs: "Angemeldet als",
  },

  deviceTypes: germanWords.deviceTypes,
  formats: germanWords.formats,
  nameOf: germanWords.nameOf,
  profile: germanWords.profile,

  home: {
    title: "Meine Geräte",
    usage: (count, limit) => `${count} von ${limit} Profilen in Gebrauch`,
    add: "Gerät hinzufügen",
    freeAPlace: "Erst einen Platz frei machen",
    empty:
      "Fügen Sie Ihr Handy oder Ihren Laptop einmal hinzu; ab dann verbindet sich das Gerät von selbst mit dem WLAN.",
    emptyTitle: "Noch kein Gerät",
    listTitle: "Ihre Profile",
    revoke: "Widerrufen",
    revokeNamed: (name) => `${name} widerrufen`,
    renew: "Erneuern",
    renewNamed: (name) => `${name} erneuern`,
    ownData: "Daten herunterladen",
    ownDataText: "Sie können alles herunterladen, was hier über Sie gespeichert ist.",
    preparing: "In Vorbereitung",
    preparingText: "Es ist gleich fertig.",
    revoked: (name) => `${name} ist widerrufen und kommt nicht mehr ins Netz.`,
    back: (ended, back) => `Ihr Zugang endete am ${ended} und besteht seit dem ${back} wieder.`,
    devicesEnded: "Geräte, die Sie vorher hatten, müssen Sie neu einrichten.",
    devicesKept: "Ihre Geräte sind im Netz geblieben.",
  },

  status: {
    active: "Aktiv",
    endsSoon: "Läuft bald ab",
    expired: "Abgelaufen",
    revoked: "Widerrufen",
    renewed: "Durch ein neues Profil ersetzt",
    preparing: "In Vorbereitung",
  },

  objections: {
    ...germanWords.notIssuing,
    user_locked: {
      title: "Ihr Konto ist gesperrt",
      text: "Sie können im Moment keine Geräte hinzufügen. Fragen Sie Ihren Helpdesk. Profile, die Sie nicht mehr brauchen, können Sie weiterhin widerrufen.",
    },
    profile_limit_reached: {
      title: "Alle Ihre Profile sind in Gebrauch",
      text: (limit) => `${limit} von ${limit} in Gebrauch; widerrufen Sie eines, das Sie nicht mehr brauchen.`,
    },
    guest_full: {
      title: "Alle Profile sind vergeben",
      text: (limit) =>
        `${limit} von ${limit} Profilen sind vergeben. Wenden Sie sich an die Person, von der Sie diesen Link haben.`,
    },
    user_offboarded: {
      title: "Ihr Zugang ist beendet",
      text: "Ihr Konto ist hier nicht mehr aktiv. Fragen Sie den Helpdesk, wenn Sie das für einen Irrtum halten.",
    },
  },

  add: {
    title: "Gerät hinzufügen",
    deviceType: "Was für ein Gerät ist es?",
    iPadHint: "Auf einem iPad? Wählen Sie iPad.",
    name: "Name",
    where: "Wo richten Sie es ein?",
    here: "Auf diesem Gerät",
    elsewhere: "Auf einem anderen Gerät",
    elsewhereHint: "Ein anderes Gerät liest dafür mit der Kamera einen QR-Code.",
    formats: "Andere Formate",
    formatsText: "Wählen Sie nur auf Anweisung Ihres Helpdesks ein Format.",
    formatAutomatic: "Was zum Gerät passt",
    back: "Zurück zu „Meine Geräte“",
    backGuest: "Zurück",
    wrong: (count) => (count === 1 ? "Bitte berichtigen Sie dies:" : "Bitte berichtigen Sie Folgendes:"),
    wrongDeviceType: "Wählen Sie, was für ein Gerät es ist.",
    wrongFormat: (device) => `Wählen Sie ein anderes Format: Dieses passt nicht zu ${device}.`,
  },

  handOver: {
    titleWaiting: "Mit dem anderen Gerät scannen",
    scan: (name) =>
      `Richten Sie die Kamera des anderen Geräts auf diesen Code und öffnen Sie den Link. Er ist für: ${name}.`,
    qr: "QR-Code mit dem Link für das andere Gerät",
    once: (time) => `Er funktioniert einmal, für ein Gerät, bis ${time}.`,
    follows: "Diese Seite zeigt an, wenn das Gerät das Profil abgeholt hat.",
    titlePickedUp: "Abgeholt",
    pickedUp: (device, time) => `Abgeholt von ${device} um ${time}`,
    pickedUpText: "Machen Sie dort weiter. Sobald es heruntergeladen ist, steht das Profil unter „Meine Geräte“.",
    pickedUpTextGuest: "Machen Sie dort weiter.",
    downloaded: (time) => `Die Datei wurde um ${time} heruntergeladen.`,
    titleExpired: "Dieser Code ist abgelaufen",
    expired: "Niemand hat ihn rechtzeitig benutzt, und es wurde kein Profil angelegt.",
    another: "Gerät hinzufügen",
    toDevices: "Meine Geräte",
    toGuest: "Zurück",
  },

  shortCode: {
    title: "Code eingeben",
    text: "Sie haben einen Code aus 8 oder 12 Buchstaben und Ziffern: vom Helpdesk, von einem anderen Ihrer Geräte oder auf einem Blatt für Gäste.",
    label: "Code",
    submit: "Weiter",
    wrong:
      "Dieser Code funktioniert nicht: Er ist falsch eingegeben, schon benutzt oder zu alt. Geben Sie ihn noch einmal ein, oder bitten Sie um einen neuen.",
    or: (page, code) => `Ohne Kamera: Öffnen Sie dort ${page} und geben Sie ${code} ein.`,
  },

  pickUp: {
    title: (name) => `Ein Profil für ${name}`,
    from: "Von",
    of: (realm) => `Damit kommt dieses Gerät ins WLAN von ${realm}.`,
    deviceType: "Was für ein Gerät ist dies?",
    submit: "Dieses Gerät einrichten",
    once: "Sie können diesen Link nur einmal verwenden. Machen Sie nicht weiter, wenn Sie nicht wissen, von wem er ist.",
  },

  preparing: {
    title: "Ihr Profil wird vorbereitet",
    text: "Das dauert wenige Sekunden. Die Seite geht von selbst weiter.",
    late: "Das dauert länger als sonst. Sie brauchen nicht zu warten: Das Profil wird unter „Meine Geräte“ stehen.",
    lateGuest: "Das dauert länger als sonst. Bitte lassen Sie diese Seite geöffnet.",
    checkNow: "Jetzt nachsehen",
  },

  ready: {
    title: (name) => `${name} ist bereit`,
    titleOther: "Ihr Profil ist fertig",
    setUp: (name) => `${name} einrichten`,
    setUpOther: "Gerät einrichten",
    download: "Herunterladen",
    then: "Nächste Schritte",
    notYet: (time) => `Das Profil wird angelegt, wenn Sie es herunterladen. Das geht bis ${time}.`,
    until: (time) => `Die Datei kann bis ${time} heruntergeladen werden.`,
    downloaded: (time, until) => `Um ${time} heruntergeladen. Das geht noch einmal bis ${until}.`,
    secret: "Die Datei enthält einen geheimen Schlüssel: Geben Sie sie an niemanden weiter.",
    again: "Sie brauchen diese Seite erst wieder, wenn das Profil abläuft oder Sie ein neues Gerät bekommen.",
    look: "Ich habe es heruntergeladen",
    wired: "Damit sind auch kabelgebundene Netze eingerichtet: Stecken Sie ein Kabel ein.",
    values: "Falls Ihr Gerät danach fragt",
    wifi: "WLAN",
    wiredNetworks: "Kabelgebundene Netze",
    sameValues: "dieselben Werte",
    method: "Verfahren",
    identity: "Identität",
    server: "Name des Servers",
    password: "Passwort",
    noPassword: "keines, leer lassen",
    ca: "CA-Zertifikat",
    caDownload: "CA-Zertifikat herunterladen",
    terminal: "In einem Terminal, im Ordner mit der Datei:",
    revokeOld: (name) => `Wenn das neue Profil funktioniert, widerrufen Sie das alte (${name}).`,
    revokeOldLink: "Das alte widerrufen",
    oldEnds: (time) =>
      `Das alte wird am ${time} widerrufen. Sieht das Netz dann noch immer nur das alte Profil, kann dieses bis zu einer Woche bestehen bleiben.`,
    hints: {
      appleMobile:
        "Fehlt der Eintrag Profil geladen, sehen Sie in den Einstellungen unter Allgemein, VPN und Geräteverwaltung nach.",
      mac: "Fehlt das Profil, sehen Sie in den Systemeinstellungen unter Allgemein, Geräteverwaltung nach.",
    },
  },
  apps: {
    title: "Mit der App geteduroam",
    another: "Ein anderer Weg: mit einer Datei",
    anotherApp: "Ein anderer Weg: mit der App geteduroam",
    store: (store) => `geteduroam: ${store}`,
    removeOlder: "Entfernen Sie zuerst eine ältere Einrichtung dieses Netzes, wenn es eine gibt.",
    install: "Installieren Sie die App geteduroam.",
    search: (listing) => `Öffnen Sie sie und suchen Sie nach ${listing}.`,
    type: (address) => `Öffnen Sie sie und geben Sie die Adresse ${address} ein.`,
    finish: "Melden Sie sich an und tippen Sie auf „Dieses Gerät einrichten“.",
  },
  steps: {
    appleMobile: (ssids) => [
      "Tippen Sie auf Herunterladen, dann auf Zulassen.",
      "Öffnen Sie die Einstellungen, tippen Sie oben auf Profil geladen, dann auf Installieren.",
      "Geben Sie den Code Ihres Geräts ein. Beim Profil steht „Nicht überprüft“: Das ist in Ordnung.",
      `Wählen Sie das WLAN ${orList(ssids)}.`,
    ],
    mac: (ssids) => [
      "Laden Sie die Datei herunter und öffnen Sie sie.",
      "Öffnen Sie die Systemeinstellungen, suchen Sie nach Profile, doppelklicken Sie auf das neue und wählen Sie Installieren.",
      "Geben Sie das Passwort Ihres Macs ein. Beim Profil steht, dass es nicht überprüft oder nicht signiert ist: Das ist in Ordnung.",
      `Wählen Sie das WLAN ${orList(ssids)}.`,
    ],
    app: (ssids) => [
      "Installieren Sie die App geteduroam.",
      "Laden Sie die Datei herunter und öffnen Sie sie mit der App.",
      `Bestätigen Sie. Das Gerät verbindet sich dann von selbst mit dem WLAN ${orList(ssids)}.`,
    ],
    networkmanager: (ssids) => [
      "Laden Sie die Datei herunter.",
      "Führen Sie in ihrem Ordner einmal den Befehl unten aus.",
      `NetworkManager verbindet sich dann von selbst mit dem WLAN ${orList(ssids)}.`,
    ],
    iwd: (ssids) => [
      "Laden Sie die Datei herunter.",
      "Führen Sie in ihrem Ordner einmal den Befehl unten aus.",
      `iwd verbindet sich dann von selbst mit dem WLAN ${orList(ssids)}.`,
    ],
    onc: (ssids) => [
      "Laden Sie die Datei herunter.",
      "Öffnen Sie chrome://network im Browser, wählen Sie General, dann Import ONC file.",
      `Das Chromebook verbindet sich dann von selbst mit dem WLAN ${orList(ssids)}.`,
    ],
    pkcs12: (ssids) => [
      "Laden Sie die Datei herunter und öffnen Sie sie. Wird nach einem Passwort gefragt, lassen Sie es leer.",
      `Wählen Sie das WLAN ${orList(ssids)} und das Verfahren EAP-TLS mit diesem Zertifikat.`,
      "Geben Sie die Werte unten ein, wo das Gerät danach fragt.",
    ],
    pem: (ssids) => [
      "Laden Sie die Datei herunter. Sie enthält die Zertifikate und danach den privaten Schlüssel.",
      `Richten Sie das WLAN ${orList(ssids)} mit dem Verfahren EAP-TLS und dieser Datei ein.`,
      "Geben Sie die Werte unten ein, wo das Gerät danach fragt.",
    ],
  },

  check: {
    title: "Hat es geklappt?",
    waiting: "Diese Seite zeigt an, wenn das Netz Ihr Profil geprüft hat.",
    asked: (time) => `Das Netz hat um ${time} nach diesem Profil gefragt: Es funktioniert.`,
    nothing: "Noch nichts: Das Netz hat nach diesem Profil noch nicht gefragt",
    inRange: (ssids) => `Ist das Gerät dort, wo es das WLAN ${orList(ssids)} gibt?`,
    forget: {
      iOS: "War es früher schon in diesem WLAN? Tippen Sie in den Einstellungen unter WLAN auf das i neben dem Netz, dann auf Dieses Netzwerk ignorieren.",
      iPadOS:
        "War es früher schon in diesem WLAN? Tippen Sie in den Einstellungen unter WLAN auf das i neben dem Netz, dann auf Dieses Netzwerk ignorieren.",
      MacOS:
        "War es früher schon in diesem WLAN? Entfernen Sie in den Systemeinstellungen unter WLAN, Erweitert das alte Netz dieses Namens.",
      Android:
        "War es früher schon in diesem WLAN? Entfernen Sie in den Einstellungen für WLAN das Netz dieses Namens. Öffnen Sie dann die Datei noch einmal.",
      Windows:
        "War es früher schon in diesem WLAN? Wählen Sie in den Einstellungen unter Netzwerk und Internet, WLAN, Bekannte Netzwerke verwalten beim Netz dieses Namens Nicht mehr speichern. Öffnen Sie dann die Datei noch einmal.",
      Linux:
        "War es früher schon in diesem WLAN? Entfernen Sie in den Netzwerkeinstellungen die alte Verbindung dieses Namens.",
      ChromeOS:
        "War es früher schon in diesem WLAN? Entfernen Sie in den Einstellungen unter Netzwerk, Bekannte Netzwerke das Netz dieses Namens. Öffnen Sie dann die Datei noch einmal.",
      Other: "War es früher schon in diesem WLAN? Entfernen Sie das alte Netz dieses Namens aus seinen Einstellungen.",
    },
    choose: (ssids) => `Wählen Sie das WLAN ${orList(ssids)} noch einmal, bei einer Nachfrage mit dem neuen Profil.`,
    help: (digits) => `Immer noch nichts? Wenden Sie sich an Ihren Helpdesk: Die Seriennummer endet auf ${digits}.`,
    again: "Noch einmal nachsehen",
  },

  unused: {
    title: "Das hat zu lange gedauert",
    text: "Niemand hat innerhalb einer Stunde auf Herunterladen getippt, und es wurde kein Profil angelegt.",
    elsewhere: "Holen Sie sich einen neuen Link, wo Sie begonnen haben.",
  },

  gone: {
    title: "Die Datei ist nicht mehr da",
    text: "Sie konnte 30 Minuten lang heruntergeladen werden; sie ist nicht mehr abrufbar. Haben Sie sie gespeichert, ist nichts weiter zu tun.",
    unfetched:
      "Niemand hat sie innerhalb von 30 Minuten heruntergeladen. Ihr Schlüssel ist gelöscht, und das Profil wird widerrufen.",
    remedyUnfetched: "Fügen Sie das Gerät noch einmal hinzu.",
    remedy: "Wenn Sie sie nicht haben, widerrufen Sie das Profil und fügen Sie das Gerät noch einmal hinzu.",
    remedyGuest: "Wenn Sie sie nicht haben, fügen Sie das Gerät noch einmal hinzu.",
    remedyElsewhere:
      "Wenn Sie sie nicht haben, fügen Sie das Gerät dort noch einmal hinzu, wo Sie den Link bekommen haben.",
  },
  failed: {
    title: "Das hat nicht funktioniert",
    text: "Das Profil konnte nicht angelegt werden. Bitte versuchen Sie es noch einmal; bleibt es so, sagen Sie es Ihrem Helpdesk.",
    again: "Noch einmal versuchen",
  },

  links: {
    unknown: {
      title: "Dieser Link funktioniert nicht",
      text: "Er ist unvollständig, oder er führt nirgendwohin mehr. Bitten Sie um einen neuen.",
    },
    expired: {
      title: "Dieser Link ist abgelaufen",
      text: "Er galt 20 Minuten lang. Erzeugen Sie einen neuen auf dem Gerät, auf dem Sie begonnen haben.",
    },
    used: {
      title: "Dieser Link wurde schon benutzt",
      text: "Jeder Link ist für ein Gerät. Erzeugen Sie für ein anderes einen neuen, dort, wo Sie begonnen haben.",
    },
    refused: {
      title: "Im Moment kann kein Profil angelegt werden",
      text: "Gehen Sie zurück zu dem Gerät, auf dem Sie begonnen haben: Dort steht, warum.",
    },
    guestExpired: {
      title: "Dieser Gastzugang ist beendet",
      text: "Seine Zeit ist um, und Geräte, die damit verbunden waren, sind nicht mehr im Netz. Wenden Sie sich an die Person, von der Sie den Link haben.",
    },
  },

  miniBrowser: {
    title: (browser) => `Öffnen Sie diese Seite in ${browser}`,
    safari: "Safari",
    other: "Ihrem Browser",
    text: "In diesem kleinen Fenster lässt sich kein Profil installieren. Kopieren Sie die Adresse und öffnen Sie sie dort:",
    anyway: "Trotzdem hier weitermachen",
  },

  device: {
    deviceType: "Gerät",
    status: "Status",
    created: "Angelegt",
    validUntil: "Gültig bis",
    ended: "Abgelaufen",
    revokedAt: "Widerrufen",
    lastSeen: "Zuletzt gesehen",
    notSeen: "Noch nicht gesehen",
    serial: "Seriennummer",
    identity: "Identität",
    revoke: "Widerrufen",
    renewTitle: "Erneuern",
    setUpAgain: "Neu einrichten",
    renewText:
      "Sie bekommen ein neues Profil anstelle von diesem. Dieses wird einen Tag nach dem Herunterladen des neuen widerrufen.",
    renewedText: "Ein neues Profil ist an seine Stelle getreten. Wenn das neue funktioniert, widerrufen Sie dieses.",
    back: "Zurück zu „Meine Geräte“",
  },

  revoke: {
    title: (name) => `${name} widerrufen?`,
    text: (name, minutes) =>
      `${name} kommt nicht mehr ins Netz. Ist das Gerät gerade verbunden, geht es innerhalb von ${minutes} Minuten offline.`,
    final: "Das lässt sich nicht rückgängig machen. Sie können das Gerät später wieder hinzufügen.",
    cancel: "Abbrechen",
    submit: "Widerrufen",
  },

  applications: {
    title: "Verbundene Anwendungen",
    intro: "Diese Anwendungen dürfen für Sie handeln.",
    empty: "Keine verbundenen Anwendungen.",
    since: (date) => `Erlaubt am ${date}`,
    mayDo: "Sie darf:",
    withdraw: "Zurücknehmen",
    withdrawNamed: (name) => `Erlaubnis für ${name} zurücknehmen`,
    withdrawn: "Zurückgenommen. Die Anwendung kann nicht mehr für Sie handeln.",
  },

  guest: {
    title: (account) => account,
    of: (realm) => `Gastzugang von ${realm}`,
    until: "Endet am",
    used: "Profile",
    usage: (count, limit) => `${count} von ${limit} Profilen vergeben`,
    unlimited: (count) => (count === 1 ? "1 Profil vergeben" : `${count} Profile vergeben`),
    intro:
      "Bringen Sie Ihr Handy oder Ihren Laptop ins WLAN. Wer diesen Link hat, kann das auch: Geben Sie ihn mit Bedacht weiter.",
  },

  sheet: {
    qr: "QR-Code mit dem Gastlink",
    code: (page, code) => `Ohne Kamera: Öffnen Sie ${page} und geben Sie ${code} ein.`,
    wifi: "WLAN",
    until: "Gültig bis",
    steps: [
      "Scannen Sie den Code mit der Kamera Ihres Geräts oder geben Sie die Adresse in dessen Browser ein.",
      "Wählen Sie, was für ein Gerät es ist, und laden Sie das Profil herunter.",
      "Öffnen Sie das Profil, erlauben Sie die Installation und verbinden Sie sich mit dem WLAN.",
    ],
    help: "Hilfe",
    print: "Drucken Sie diese Seite mit Ihrem Browser: Sie passt auf ein Blatt A5.",
  },
};
