import type { Child } from "hono/jsx";
import type { DeviceType } from "../../../../domain/certificate/device.ts";

const laptop = (
  <>
    <rect x="4" y="5" width="16" height="11" rx="1.5" />
    <path d="M2 19.5h20" />
  </>
);

const drawings: Readonly<Record<DeviceType, Child>> = {
  iOS: (
    <>
      <rect x="7" y="2" width="10" height="20" rx="2.5" />
      <path d="M10.5 4.5h3" />
    </>
  ),
  iPadOS: (
    <>
      <rect x="4.5" y="2.5" width="15" height="19" rx="2" />
      <path d="M10.5 18.5h3" />
    </>
  ),
  MacOS: laptop,
  Android: (
    <>
      <rect x="7" y="2" width="10" height="20" rx="2" />
      <path d="M12 5v.01M11 19h2" />
    </>
  ),
  Windows: (
    <>
      <rect x="3" y="4" width="18" height="12" rx="1.5" />
      <path d="M12 16v4M8 20h8" />
    </>
  ),
  Linux: (
    <>
      <rect x="3" y="4" width="18" height="16" rx="2" />
      <path d="m7 9 3 3-3 3M13 15h4" />
    </>
  ),
  ChromeOS: (
    <>
      {laptop}
      <circle cx="12" cy="10.5" r="2.5" />
    </>
  ),
  Other: (
    <>
      <rect x="6.5" y="6.5" width="11" height="11" rx="2" />
      <path d="M10 2.5v4M14 2.5v4M10 17.5v4M14 17.5v4M2.5 10h4M2.5 14h4M17.5 10h4M17.5 14h4" />
    </>
  ),
};

/** Draws a kind of device, next to words that name it. */
export function DeviceIcon({ deviceType }: { deviceType: DeviceType | null }) {
  return <Icon>{drawings[deviceType ?? "Other"]}</Icon>;
}

/**
 * Draws an icon in lines of the text's colour. Screen readers skip the icon, because the words beside it have the same
 * meaning.
 */
export function Icon({ children }: { children?: Child }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {children}
    </svg>
  );
}

/** Draws a phone and a laptop with a wireless network. */
export function DevicesPicture() {
  return (
    <svg class="picture" viewBox="0 0 160 90" aria-hidden="true">
      <rect x="30" y="26" width="76" height="48" rx="5" />
      <path d="M20 80h96" />
      <rect x="112" y="36" width="26" height="46" rx="5" class="filled" />
      <path d="M122 76h6" />
      <path d="M54 12a20 20 0 0 1 28 0M61 19a10 10 0 0 1 14 0" class="waves" />
    </svg>
  );
}
