import type { Vocabulary } from "./vocabulary.ts";

export const germanWords: Vocabulary = {
  deviceTypes: {
    iOS: { name: "iPhone", aDevice: "einem iPhone", suggestedName: "iPhone" },
    iPadOS: { name: "iPad", aDevice: "einem iPad", suggestedName: "iPad" },
    MacOS: { name: "Mac", aDevice: "einem Mac", suggestedName: "Mac" },
    Android: { name: "Android", aDevice: "einem Android-Gerät", suggestedName: "Android-Handy" },
    Windows: { name: "Windows", aDevice: "einem Windows-Rechner", suggestedName: "Laptop" },
    Linux: { name: "Linux", aDevice: "einem Linux-Rechner", suggestedName: "Linux-Rechner" },
    ChromeOS: { name: "Chromebook", aDevice: "einem Chromebook", suggestedName: "Chromebook" },
    Other: { name: "Anderes", aDevice: "einem anderen Gerät", suggestedName: "Gerät" },
  },
  nameOf: (device, person) => `${device} von ${person}`,
  formats: {
    mobileconfig: "Apple-Konfigurationsprofil (.mobileconfig)",
    "eap-config": "Für die App geteduroam (.eap-config)",
    onc: "Für die Einstellungen eines Chromebooks (.onc)",
    networkmanager: "Für NetworkManager unter Linux (.tar)",
    iwd: "Für iwd unter Linux (.tar)",
    pkcs12: "PKCS #12 mit leerem Passwort (.p12)",
    pem: "Zertifikate und Schlüssel in PEM (.pem)",
    crt: "Zertifikate und Schlüssel in PEM mit der Endung .crt",
  },
  profile: {
    nameHint: "Damit Sie es in Ihrer Liste wiedererkennen.",
    wrongName: "Geben Sie dem Gerät einen Namen mit 1 bis 64 Zeichen, keines davon unsichtbar.",
    validUntil: (date) => `Gültig bis ${date}`,
    lastSeen: (time) => `Zuletzt gesehen am ${time}`,
    notSeen: "Noch nicht gesehen",
  },
  notIssuing: {
    no_issuer: {
      title: "Geräte können noch nicht hinzugefügt werden",
      text: "Ihre Einrichtung hat diesen Dienst noch nicht fertig eingerichtet. Wenden Sie sich an Ihren Helpdesk.",
    },
    issuer_expiring: {
      title: "Geräte können im Moment nicht hinzugefügt werden",
      text: "Ihre Einrichtung muss zuerst etwas erneuern. Wenden Sie sich an Ihren Helpdesk.",
    },
  },
};
