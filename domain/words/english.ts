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
};
