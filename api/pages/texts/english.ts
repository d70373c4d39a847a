import { scopes, type Scope } from "../../../domain/people/scopes.ts";

const minutes = (count: number): string => (count === 1 ? "one minute" : `${count} minutes`);

export const english = {
  languageName: "English",
  otherLanguage: "Language",
  helpDesk: "Help desk",
  privacy: "Privacy",
  startAgain: "Start again",
  skip: "Skip to the content",
  reference: "Reference",
  time: "Time",
  quoteThis: "If this keeps happening, tell your help desk:",

  signIn: {
    title: "Sign in",
    toContinueTo: "to continue to",
    to: { console: "to administer the realm", devices: "to set up and manage your devices" },
    sessionEnded: "Your session has ended. Sign in again, and you continue where you were.",
    username: "User name",
    password: "Password",
    submit: "Sign in",
    campusAccount: "Sign in with your campus account",
    or: "or with a local account",
    wrong: "The user name or the password is wrong. Please check both and try again.",
    tooManyTries: (count: number) => `Too many tries. Please wait ${minutes(count)}, then try again.`,
  },

  apps: {
    title: "Set up your device with an app",
    install: "Install the app geteduroam:",
    search: "Open it and search for",
    type: "Open it and type the address",
    finish: "Sign in and tap “Set up this device”.",
    without: "Without an app",
  },

  setUpDevice: {
    title: "Set up this device",
    asks: (app: string, device: string) => `The app ${app} on ${device} asks for a profile.`,
    intro: "The profile then connects this device to the Wi-Fi automatically.",
    careful: "Continue only if you opened the app yourself.",
    name: "Name of the device",
    where: "Where does the profile go?",
    newDevice: "New device",
    inPlaceOf: (name: string) => `In place of ${name}`,
    full: (limit: number) => `All ${limit} profiles are in use, so the new one takes the place of another.`,
    cancel: "Cancel",
    submit: "Set up this device",
    toDevices: "My devices",
    objections: {
      user_locked: {
        title: "Your account is locked",
        text: "You cannot add devices at the moment. Ask your help desk.",
      },
      user_not_permitted: {
        title: "This service is not open to you",
        text: "Your organization says that your account may not use this service. Ask your help desk whether it should be allowed.",
      },
      profile_limit_reached: {
        title: "All your profiles are in use",
        text: (limit: number) =>
          `${limit} of ${limit} in use. Revoke one you no longer need under My devices, then open the app again.`,
      },
      limited: {
        title: "Too many devices within an hour",
        text: (time: string) => `You can set up another one at ${time}.`,
      },
    },
  },

  realmChoice: {
    title: "Where do you belong?",
    text: "Choose your organization to sign in.",
  },

  signedIn: {
    title: "You are signed in",
    as: "Signed in as",
    devices: "My devices",
    administration: "Administration",
    signOut: "Sign out",
    notYou: "Not you? Switch account",
  },

  signInLink: {
    title: "Sign in",
    as: "This link signs you in as",
    once: "It works once.",
    submit: "Sign in",
  },

  newPassword: {
    title: "Choose a password",
    why: "Your link worked once. With a password you can sign in again.",
    username: "User name",
    password: (length: number) => `Password, at least ${length} characters`,
    repeated: "The same password again",
    submit: "Save the password",
    later: "Not now",
    short: (length: number) => `The password has to have at least ${length} characters.`,
    long: "The password is too long.",
    differs: "The two passwords differ. Please type the same one twice.",
  },

  noWayBack: {
    title: "Sign out without a way back?",
    text: "You signed in with a link that worked once, and you have no password. Once you are signed out, you can only sign in again with a new link from the operator.",
    setPassword: "Choose a password",
    stay: "Stay signed in",
    signOut: "Sign out anyway",
  },

  consent: {
    title: (application: string) => `Allow ${application} to act for you?`,
    as: "Signed in as",
    notYou: "Not you?",
    intro: "It would be able to:",
    isNew: "new",
    returnTo: "You return to",
    otherReturnsTo: "Other sign-ins may return to",
    appOnDevice: (scheme: string) => `an app on this device (${scheme})`,
    withdraw: "What you allow is remembered. You can take it back in My devices, under Applications.",
    cancel: "Cancel",
    allow: "Allow",
  },
  scopes: scopes as Record<Scope, string>,

  signOutQuestion: {
    title: "Sign out?",
    text: "An application asks to sign you out in this browser.",
    ofApplication: (application: string) => `${application} asks to sign you out in this browser.`,
    signOut: "Sign out",
    stay: "Stay signed in",
  },

  signedOut: {
    title: "You are signed out",
    ofApplication: (application: string) => `You are signed out of ${application}.`,
    text: "You can close this window. On a shared computer, close the browser too.",
    signInAgain: "Sign in again",
    backTo: (application: string) => `Back to ${application}`,
  },

  wait: (count: number) => `Please wait ${minutes(count)}, then try again.`,
  withRest: (moment: string, rest: string) => `${moment}, for another ${rest}`,
  devicesStay: (moment: string) => `Your devices stay on the network until ${moment}.`,
  problems: {
    bad_request: {
      title: "This request does not work",
      happened: "What your browser sent is incomplete or malformed.",
      remedy: "Go back to the application you came from and try again.",
    },
    method_not_allowed: {
      title: "This does not work here",
      happened: "This page cannot be used in this way.",
      remedy: "Go back and follow the link or button again.",
    },
    unknown_client: {
      title: "Unknown application",
      happened: "The application that sent you here is not known, or it has been switched off.",
      remedy: "Contact the people who run the application.",
    },
    redirect_mismatch: {
      title: "This application is not set up correctly",
      happened: "The address that you would return to is not the one registered for the application.",
      remedy: "Contact the people who run the application. Nothing was sent to that address.",
    },
    logout_refused: {
      title: "You were not signed out",
      happened: "The application asked for it in a way that cannot be trusted.",
      remedy: "Sign out in the application again, or close your browser.",
    },
    form_expired: {
      title: "Please try that again",
      happened: "The page was open for too long, or your browser does not accept cookies.",
      remedy: "Allow cookies for this site and start again.",
    },
    offboarded: {
      title: "Your access ended",
      happened: "Your account is no longer active here.",
      remedy: "Ask the help desk if you think that this is a mistake.",
    },
    not_found: {
      title: "There is nothing here",
      happened: "What you are looking for does not exist, or it is not yours.",
      remedy: "Go back, or begin with My devices.",
    },
    link_ended: {
      title: "This link does not work any more",
      happened: "It was used already, or its time has run out.",
      remedy: "Ask for a new one.",
    },
    no_sign_in: {
      title: "Nobody can sign in here",
      happened: "No way to sign in has been set up.",
      remedy: "Contact your help desk.",
    },
    too_many_requests: {
      title: "Too many tries",
      happened: "There were too many tries in a short time.",
      remedy: "Please wait a moment, then try again.",
    },
    upstream_unreachable: {
      title: "Your campus sign-in does not answer",
      happened: "The sign-in service of your organization cannot be reached at the moment.",
      remedy: "Please try again in a few minutes.",
    },
    upstream_refused: {
      title: "Your sign-in was not completed",
      happened: "The sign-in service of your organization did not let you in, or you cancelled.",
      remedy: "Start again, or ask your help desk.",
    },
    upstream_not_permitted: {
      title: "This service is not open to you",
      happened: "Your organization does not allow this account to use this service.",
      remedy: "Ask your help desk whether it should be allowed.",
    },
    upstream_no_identifier: {
      title: "Your sign-in lacks an identifier",
      happened: "The sign-in service of your organization did not say who you are.",
      remedy: "Contact your help desk: the identifier is not released to this service.",
    },
    upstream_bad_answer: {
      title: "Your sign-in did not work",
      happened: "The sign-in service of your organization gave an answer that cannot be used.",
      remedy: "Start again. If it keeps happening, contact your help desk.",
    },
    upstream_attempt_ended: {
      title: "This sign-in has ended",
      happened: "It took too long, was completed already, or began in another browser.",
      remedy: "Start again.",
    },
    identity_conflict: {
      title: "Your account could not be matched",
      happened: "The identity that your organization sent already belongs to somebody else's account here.",
      remedy: "Contact your help desk: they have to resolve this together with you.",
    },
    not_set_up: {
      title: "You are not set up yet",
      happened: "Your organization has not added you to this service.",
      remedy: "Ask the help desk.",
    },
    console_missing: {
      title: "The console is not installed",
      happened: "The service was started without it.",
      remedy: "The operator of the service has to build it once: npm run build",
    },
    unavailable: {
      title: "Please try again shortly",
      happened: "A part of the service is not available at the moment.",
      remedy: "Wait a few seconds, then try again.",
    },
    broken: {
      title: "Something went wrong",
      happened: "It is our mistake, and it has been recorded.",
      remedy: "Please try again.",
    },
  },
};
