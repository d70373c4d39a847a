const given = [
  "Mia", "Emma", "Hannah", "Lina", "Clara", "Leonie", "Amira", "Johanna", "Nora", "Yasmin", "Paul", "Jonas", "Finn",
  "Elias", "Noah", "Luis", "Mehmet", "Anton", "Karim", "Theo",
]; // prettier-ignore
const family = [
  "Keller", "Schneider", "Yılmaz", "Weber", "Nowak", "Fischer", "Hoang", "Richter", "Öztürk", "Brandt", "Lindner",
  "Petrova", "Vogel", "Haddad",
]; // prettier-ignore
const devices = [
  { deviceType: "iOS", profileName: "iPhone", format: "mobileconfig" },
  { deviceType: "Android", profileName: "Pixel", format: "eap-config" },
  { deviceType: "Windows", profileName: "Laptop", format: "pkcs12" },
  { deviceType: "MacOS", profileName: "MacBook", format: "mobileconfig" },
  { deviceType: "iPadOS", profileName: "iPad", format: "mobileconfig" },
  { deviceType: "Linux", profileName: "ThinkPad", format: "pem" },
  { deviceType: "ChromeOS", profileName: "Chromebook", format: "pkcs12" },
] as const;

/** One row of an onboarding. */
export interface SamplePerson {
  pairwiseID: string;
  email: string;
  profileName: string;
  deviceType: string;
  format: string;
}

/** Returns people with every combination of the listed names: the same people every time. */
export function samplePeople(domain: string): SamplePerson[] {
  return family.flatMap((last, row) =>
    given.map((first, column): SamplePerson => {
      const { profileName, ...device } = of(devices, row * 3 + column * 5);
      return {
        pairwiseID: `${((row * given.length + column + 1) * 2_654_435_761).toString(36)}@${domain}`,
        email: `${ascii(first).charAt(0)}.${ascii(last)}${row % 3 === 0 ? column : ""}@${domain}`,
        profileName: `${profileName} of ${first}`,
        ...device,
      };
    }),
  );
}

const of = <Thing>(things: readonly [Thing, ...Thing[]] | readonly Thing[], index: number): Thing => {
  const thing = things[index % things.length];
  if (thing === undefined) throw new Error("an empty list");
  return thing;
};

/** Returns a name as it is spelled in an e-mail address: only lower-case ASCII letters. */
const ascii = (name: string): string =>
  name
    .replaceAll("ı", "i")
    .replaceAll("ö", "oe")
    .replaceAll("Ö", "Oe")
    .normalize("NFD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();
