import type { DeviceType } from "../../../../domain/certificate/device.ts";
import { englishWords } from "../../../../domain/words/english.ts";

const orList = (names: readonly string[]): string => names.join(" or ");

export const english = {
  navigation: {
    label: "Main",
    devices: "My devices",
    applications: "Applications",
    administration: "Administration",
    signOut: "Sign out",
    signedInAs: "Signed in as",
  },

  deviceTypes: englishWords.deviceTypes,
  formats: englishWords.formats,
  nameOf: englishWords.nameOf,
  profile: englishWords.profile,

  home: {
    title: "My devices",
    usage: (count: number, limit: number) => `${count} of ${limit} profiles in use`,
    add: "Add a device",
    freeAPlace: "Free a place first",
    empty: "Add your phone or laptop once, and it joins the Wi-Fi by itself from then on.",
    emptyTitle: "No device yet",
    listTitle: "Your profiles",
    revoke: "Revoke",
    revokeNamed: (name: string) => `Revoke ${name}`,
    renew: "Renew",
    renewNamed: (name: string) => `Renew ${name}`,
    ownData: "Download your data",
    ownDataText: "You can download everything stored about you.",
    preparing: "Preparing",
    preparingText: "It will be ready in a moment.",
    revoked: (name: string) => `${name} is revoked. It cannot join the network any more.`,
    back: (ended: string, back: string) => `Your access ended on ${ended} and came back on ${back}.`,
    devicesEnded: "Devices that you had before have to be set up again.",
    devicesKept: "Your devices stayed on the network.",
  },

  status: {
    active: "Active",
    endsSoon: "Expires soon",
    expired: "Expired",
    revoked: "Revoked",
    renewed: "Replaced by a new profile",
    preparing: "Preparing",
  },

  objections: {
    ...englishWords.notIssuing,
    user_locked: {
      title: "Your account is locked",
      text: "You cannot add devices at the moment. Ask your help desk. Profiles that you no longer need can still be revoked.",
    },
    profile_limit_reached: {
      title: "All your profiles are in use",
      text: (limit: number) => `${limit} of ${limit} in use; revoke one you no longer need.`,
    },
    guest_full: {
      title: "All profiles are in use",
      text: (limit: number) => `${limit} of ${limit} profiles are in use. Ask the person who gave you this link.`,
    },
    user_offboarded: {
      title: "Your access ended",
      text: "Your account is no longer active here. Ask the help desk if you think that this is a mistake.",
    },
  },

  add: {
    title: "Add a device",
    deviceType: "What kind of device is it?",
    iPadHint: "On an iPad? Choose iPad.",
    name: "Name",
    where: "Where do you set it up?",
    here: "On this device",
    elsewhere: "On another device",
    elsewhereHint: "Another device scans a QR code with its camera.",
    formats: "Other formats",
    formatsText: "Choose one only if your help desk asks you to.",
    formatAutomatic: "What suits the device",
    back: "Back to My devices",
    backGuest: "Back",
    wrong: (count: number) => (count === 1 ? "Please correct this:" : "Please correct these:"),
    wrongDeviceType: "Choose what kind of device it is.",
    wrongFormat: (device: string) => `Choose another format: this one does not suit ${device}.`,
  },

  handOver: {
    titleWaiting: "Scan this with the other device",
    scan: (name: string) => `Point the camera of the other device at this code and open the link. It is for ${name}.`,
    qr: "QR code with the link for the other device",
    once: (time: string) => `It works once, for one device, until ${time}.`,
    follows: "This page shows when the device has picked it up.",
    titlePickedUp: "Picked up",
    pickedUp: (device: string, time: string) => `Picked up by ${device} at ${time}`,
    pickedUpText: "Continue there. Once it is downloaded, the profile is listed under My devices.",
    pickedUpTextGuest: "Continue there.",
    downloaded: (time: string) => `The file was downloaded at ${time}.`,
    titleExpired: "This code has expired",
    expired: "Nobody used it in time, and no profile was made.",
    another: "Add a device",
    toDevices: "My devices",
    toGuest: "Back",
  },

  shortCode: {
    title: "Enter the code",
    text: "You have a code of 8 or 12 letters and digits: from your help desk, from another device of yours, or on a guest's sheet.",
    label: "Code",
    submit: "Continue",
    wrong: "This code does not work: it is mistyped, used or too old. Type it again, or ask for a new one.",
    or: (page: string, code: string) => `Without a camera: open ${page} there and type ${code}.`,
  },

  pickUp: {
    title: (name: string) => `A profile for ${name}`,
    from: "From",
    of: (realm: string) => `It puts this device on the Wi-Fi of ${realm}.`,
    deviceType: "What kind of device is this?",
    submit: "Set up this device",
    once: "You can use this link once. Do not continue if you do not know who it is from.",
  },

  preparing: {
    title: "Preparing your profile",
    text: "This takes a few seconds. The page continues by itself.",
    late: "This takes longer than usual. You need not wait: it will be listed under My devices.",
    lateGuest: "This takes longer than usual. Please leave this page open.",
    checkNow: "Check now",
  },

  ready: {
    title: (name: string) => `${name} is ready`,
    titleOther: "Your profile is ready",
    setUp: (name: string) => `Set up ${name}`,
    setUpOther: "Set up your device",
    download: "Download",
    then: "Next steps",
    notYet: (time: string) => `The profile is made when you download it. You can do so until ${time}.`,
    until: (time: string) => `The file can be downloaded until ${time}.`,
    downloaded: (time: string, until: string) => `Downloaded at ${time}. You can do so again until ${until}.`,
    secret: "It holds a secret key: do not share it.",
    again: "You need this page again only when the profile ends or you get a new device.",
    look: "I have downloaded it",
    wired: "This also sets up wired networks: plug in a cable.",
    values: "If your device asks",
    wifi: "Wi-Fi",
    wiredNetworks: "Wired networks",
    sameValues: "the same values",
    method: "Method",
    identity: "Identity",
    server: "Server name",
    password: "Password",
    noPassword: "none, leave it empty",
    ca: "CA certificate",
    caDownload: "Download the CA certificate",
    terminal: "In a terminal, in the folder with the file:",
    revokeOld: (name: string) => `When the new profile works, revoke the old one (${name}).`,
    revokeOldLink: "Revoke the old one",
    oldEnds: (time: string) =>
      `The old one is revoked on ${time}. If the network then still sees only the old one, it can stay for up to a week.`,
    hints: {
      appleMobile: "If Profile Downloaded is not there, look in Settings under General, VPN & Device Management.",
      mac: "If the profile is not there, look in System Settings under General, Device Management.",
    },
  },
  apps: {
    title: "With the geteduroam app",
    another: "Another way: with a file",
    anotherApp: "Another way: with the geteduroam app",
    store: (store: string) => `geteduroam: ${store}`,
    removeOlder: "Remove an older set-up of this network first, if there is one.",
    install: "Install the app geteduroam.",
    search: (listing: string) => `Open it and search for ${listing}.`,
    type: (address: string) => `Open it and type the address ${address}.`,
    finish: "Sign in and tap “Set up this device”.",
  },
  steps: {
    appleMobile: (ssids: readonly string[]) => [
      "Tap Download, then Allow.",
      "Open Settings, tap Profile Downloaded at the top, then Install.",
      "Enter the passcode of your device. It shows “Not verified” beside the profile; this is expected.",
      `Join the Wi-Fi ${orList(ssids)}.`,
    ],
    mac: (ssids: readonly string[]) => [
      "Download the file and open it.",
      "Open System Settings, search for Profiles, double-click the new one and choose Install.",
      "Enter the password of your Mac. It shows that the profile is not verified or not signed; this is expected.",
      `Join the Wi-Fi ${orList(ssids)}.`,
    ],
    app: (ssids: readonly string[]) => [
      "Install the geteduroam app.",
      "Download the file and open it with the app.",
      `Confirm. The device then joins the Wi-Fi ${orList(ssids)} by itself.`,
    ],
    networkmanager: (ssids: readonly string[]) => [
      "Download the file.",
      "Run the command below in its folder, once.",
      `NetworkManager then joins the Wi-Fi ${orList(ssids)} by itself.`,
    ],
    iwd: (ssids: readonly string[]) => [
      "Download the file.",
      "Run the command below in its folder, once.",
      `iwd then joins the Wi-Fi ${orList(ssids)} by itself.`,
    ],
    onc: (ssids: readonly string[]) => [
      "Download the file.",
      "Open chrome://network in the browser, choose General, then Import ONC file.",
      `The Chromebook then joins the Wi-Fi ${orList(ssids)} by itself.`,
    ],
    pkcs12: (ssids: readonly string[]) => [
      "Download the file and open it. When you are asked for a password, leave it empty.",
      `Choose the Wi-Fi ${orList(ssids)} and the method EAP-TLS with this certificate.`,
      "Enter the values below where the device asks for them.",
    ],
    pem: (ssids: readonly string[]) => [
      "Download the file. It holds the certificates and then the private key.",
      `Set up the Wi-Fi ${orList(ssids)} with the method EAP-TLS and this file.`,
      "Enter the values below where the device asks for them.",
    ],
  },

  check: {
    title: "Did it work?",
    waiting: "This page shows when the network has checked your profile.",
    asked: (time: string) => `The network asked about this profile at ${time}: it works.`,
    nothing: "Nothing yet: the network has not asked about this profile",
    inRange: (ssids: readonly string[]) => `Is the device where the Wi-Fi ${orList(ssids)} is?`,
    forget: {
      iOS: "Had it joined that Wi-Fi before? In Settings, Wi-Fi, tap the i beside the network, then Forget This Network.",
      iPadOS:
        "Had it joined that Wi-Fi before? In Settings, Wi-Fi, tap the i beside the network, then Forget This Network.",
      MacOS:
        "Had it joined that Wi-Fi before? In System Settings, Wi-Fi, Advanced, remove the old network of that name.",
      Android:
        "Had it joined that Wi-Fi before? In the settings for Wi-Fi, forget the network of that name. Then open the " +
        "file again.",
      Windows:
        "Had it joined that Wi-Fi before? In Settings, Network & internet, Wi-Fi, Manage known networks, forget the " +
        "network of that name. Then open the file again.",
      Linux: "Had it joined that Wi-Fi before? In the network settings, remove the old connection of that name.",
      ChromeOS:
        "Had it joined that Wi-Fi before? In Settings, Network, Known networks, forget the network of that name. " +
        "Then open the file again.",
      Other: "Had it joined that Wi-Fi before? Remove the old network of that name from its settings.",
    } satisfies Record<DeviceType, string>,
    choose: (ssids: readonly string[]) =>
      `Choose the Wi-Fi ${orList(ssids)} again, with the new profile if you are asked.`,
    help: (digits: string) => `Still nothing? Contact your help desk: the serial number ends in ${digits}.`,
    again: "Look again",
  },

  unused: {
    title: "This took too long",
    text: "Nobody tapped Download within an hour, and no profile was made.",
    elsewhere: "Get a new link where you began.",
  },

  gone: {
    title: "The file is gone",
    text: "It could be downloaded for 30 minutes, and nobody can get it any more. If you have it, all is well.",
    unfetched: "Nobody downloaded it within 30 minutes. Its key is erased, and the profile is revoked.",
    remedyUnfetched: "Add the device again.",
    remedy: "If you do not have it, revoke the profile and add the device again.",
    remedyGuest: "If you do not have it, add the device again.",
    remedyElsewhere: "If you do not have it, add the device again where you got the link.",
  },
  failed: {
    title: "That did not work",
    text: "The profile could not be created. Please try again. If it keeps happening, contact your help desk.",
    again: "Try again",
  },

  links: {
    unknown: {
      title: "This link does not work",
      text: "It is not complete, or it does not lead anywhere any more. Ask for a new one.",
    },
    expired: {
      title: "This link has expired",
      text: "It was valid for 20 minutes. Make a new one on the device where you began.",
    },
    used: {
      title: "This link was used already",
      text: "Each link is for one device. Make a new one for another device where you began.",
    },
    refused: {
      title: "No profile can be made now",
      text: "Go back to the device where you began. It shows the reason.",
    },
    guestExpired: {
      title: "This guest access has ended",
      text: "Its time is over, and devices that joined with it are off the network. Ask the person who gave you the link.",
    },
  },

  miniBrowser: {
    title: (browser: string) => `Open this page in ${browser}`,
    safari: "Safari",
    other: "your browser",
    text: "This small window cannot install a profile. Copy the address and open it there:",
    anyway: "Continue here anyway",
  },

  device: {
    deviceType: "Device",
    status: "Status",
    created: "Created",
    validUntil: "Valid until",
    ended: "Ended",
    revokedAt: "Revoked",
    lastSeen: "Last seen",
    notSeen: "Not seen yet",
    serial: "Serial number",
    identity: "Identity",
    revoke: "Revoke",
    renewTitle: "Renew",
    setUpAgain: "Set up again",
    renewText:
      "You get a new profile in place of this one, which is revoked a day after you have downloaded the new one.",
    renewedText: "A new profile has taken its place. When the new one works, revoke this one.",
    back: "Back to My devices",
  },

  revoke: {
    title: (name: string) => `Revoke ${name}?`,
    text: (name: string, minutes: number) =>
      `${name} cannot join the network any more. If it is connected now, it goes offline within ${minutes} minutes.`,
    final: "This cannot be undone. You can add the device again later.",
    cancel: "Cancel",
    submit: "Revoke",
  },

  applications: {
    title: "Connected applications",
    intro: "These applications may act for you.",
    empty: "No connected applications.",
    since: (date: string) => `Allowed on ${date}`,
    mayDo: "It may:",
    withdraw: "Withdraw",
    withdrawNamed: (name: string) => `Withdraw consent for ${name}`,
    withdrawn: "Withdrawn. The application can no longer act for you.",
  },

  guest: {
    title: (account: string) => account,
    of: (realm: string) => `Guest access of ${realm}`,
    until: "Ends on",
    used: "Profiles",
    usage: (count: number, limit: number) => `${count} of ${limit} profiles used`,
    unlimited: (count: number) => (count === 1 ? "1 profile used" : `${count} profiles used`),
    intro: "Put your phone or laptop on the Wi-Fi. Anyone who has this link can do so too: share it with care.",
  },

  sheet: {
    qr: "QR code with the guest link",
    code: (page: string, code: string) => `Without a camera: open ${page} and type ${code}.`,
    wifi: "Wi-Fi",
    until: "Valid until",
    steps: [
      "Scan the code with your device’s camera, or type the address into its browser.",
      "Choose what kind of device it is and download the profile.",
      "Open the profile, confirm that it may be installed, and join the Wi-Fi.",
    ],
    help: "Help",
    print: "Print this page with your browser: it fits on one sheet of A5.",
  },
};
