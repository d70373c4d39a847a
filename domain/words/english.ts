import type { Vocabulary } from "./vocabulary.ts";

export const englishWords: Vocabulary = {
  deviceTypes: {
    iOS: { name: "iPhone", aDevice: "an iPhone", suggestedName: "iPhone" },
    iPadOS: { name: "iPad", aDevice: "an iPad", suggestedName: "iPad" },
    MacOS: { name: "Mac", aDevice: "a Mac", suggestedName: "Mac" },
    Android: { name: "Android", aDevice: "an Android device", suggestedName: "Android phone" },
    Windows: { name: "Windows", aDevice: "a Windows computer", suggestedName: "Laptop" },
    Linux: { name: "Linux", aDevice: "a Linux computer", suggestedName: "Linux computer" },
    ChromeOS: { name: "Chromebook", aDevice: "a Chromebook", suggestedName: "Chromebook" },
    Other: { name: "Other", aDevice: "another device", suggestedName: "Device" },
  },
  nameOf: (device, person) => `${device} of ${person}`,
  formats: {
    mobileconfig: "Apple configuration profile (.mobileconfig)",
    "eap-config": "For the geteduroam app (.eap-config)",
    onc: "For the settings of a Chromebook (.onc)",
    networkmanager: "For NetworkManager on Linux (.tar)",
    iwd: "For iwd on Linux (.tar)",
    pkcs12: "PKCS #12, with an empty password (.p12)",
    pem: "Certificates and key in PEM (.pem)",
    crt: "Certificates and key in PEM, named .crt",
  },
  profile: {
    nameHint: "So that you recognize it in your list.",
    wrongName: "Give the device a name of 1 to 64 characters, none of them invisible.",
    validUntil: (date) => `Valid until ${date}`,
    lastSeen: (time) => `Last seen ${time}`,
    notSeen: "Not seen yet",
  },
  notIssuing: {
    no_issuer: {
      title: "Devices cannot be added yet",
      text: "Your organization has not finished setting this up. Contact your help desk.",
    },
    issuer_expiring: {
      title: "Devices cannot be added at the moment",
      text: "Your organization has to renew something first. Contact your help desk.",
    },
  },
};
