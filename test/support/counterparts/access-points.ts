import { createHash } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { atEndOfFile } from "../run/at-end.ts";
import { secret } from "./radius.ts";

/** Access points without a radio: they account sessions (RFC 2866), and take Disconnect-Requests (RFC 5176). */

const attributes = {
  "User-Name": 1,
  "NAS-IP-Address": 4,
  "NAS-Identifier": 32,
  "Acct-Status-Type": 40,
  "Acct-Session-Id": 44,
} as const;
type Attribute = keyof typeof attributes;

const accountingRequest = 4;
const disconnectRequest = 40;
const disconnectAck = 41;

export interface Session {
  userName: string;
  /** Octets, each as a latin1 character: any octet may occur. */
  session: string;
  nasIdentifier?: string;
}

export interface AccessPoint {
  address: string;
  /** Reports the start of sessions, or with `stop` their end; resolves when all are acknowledged. */
  account(port: number, sessions: readonly Session[], status?: "start" | "stop"): Promise<void>;
  /** Returns, each once, the sessions that the access point was asked to disconnect. */
  disconnected(): { userName: string; session: string }[];
}

/** Starts an access point at an address of this machine's own network, with its port for Disconnect-Requests. */
export async function startAccessPoint(address: string, port: number): Promise<AccessPoint> {
  const accounting = await bound(address, 0);
  const listener = await bound(address, port);
  const asked = new Map<string, { userName: string; session: string }>();
  const answers = new Map<number, () => void>();

  accounting.on("message", (message) => answers.get(message[1] ?? 0)?.());
  listener.on("message", (message, { address: from, port: fromPort }) => {
    // An access point ignores a request signed with another secret.
    if (message[0] !== disconnectRequest || !isSigned(message)) return;
    const values = read(message);
    asked.set(message.subarray(1, 20).toString("hex"), {
      userName: values.get(attributes["User-Name"]) ?? "",
      session: values.get(attributes["Acct-Session-Id"]) ?? "",
    });
    listener.send(answerTo(message), fromPort, from);
  });

  const send = async (to: number, id: number, request: Buffer): Promise<void> => {
    const answered = new Promise<void>((resolve) => answers.set(id, resolve));
    const again = setInterval(() => {
      accounting.send(request, to, "127.0.0.1");
    }, 2_000);
    accounting.send(request, to, "127.0.0.1");
    await answered;
    clearInterval(again);
    answers.delete(id);
  };

  return {
    address,
    async account(to, sessions, status = "start") {
      // At most 100 packets at a time, because a packet's identifier has one octet and the server's queue is limited.
      for (let from = 0; from < sessions.length; from += 100) {
        const batch = sessions.slice(from, from + 100);
        await Promise.all(batch.map((one, id) => send(to, id, accountingOf(address, id, one, status))));
      }
    },
    disconnected: () => [...asked.values()],
  };
}

function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: "udp4", recvBufferSize: 4 * 1024 * 1024 });
  atEndOfFile(() => socket.close());
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      resolve(socket);
    });
  });
}

const encode = (name: Attribute, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([attributes[name], value.length + 2]), value]);
const text = (value: string): Buffer => Buffer.from(value, "latin1");

function accountingOf(address: string, id: number, { userName, session, nasIdentifier }: Session, status: string) {
  return signed(
    accountingRequest,
    id,
    Buffer.alloc(16),
    Buffer.concat([
      encode("Acct-Status-Type", Buffer.from([0, 0, 0, status === "start" ? 1 : 2])),
      encode("User-Name", text(userName)),
      encode("Acct-Session-Id", text(session)),
      encode("NAS-IP-Address", Buffer.from(address.split(".").map(Number))),
      ...(nasIdentifier === undefined ? [] : [encode("NAS-Identifier", text(nasIdentifier))]),
    ]),
  );
}

/** Encodes a packet whose authenticator is computed from the given one and the secret (RFC 2866 section 3). */
function signed(code: number, id: number, authenticator: Buffer, body: Buffer): Buffer {
  const head = Buffer.from([code, id, 0, 0]);
  head.writeUInt16BE(20 + body.length, 2);
  const hash = createHash("md5").update(Buffer.concat([head, authenticator, body, Buffer.from(secret)]));
  return Buffer.concat([head, hash.digest(), body]);
}

const isSigned = (message: Buffer): boolean =>
  signed(message[0] ?? 0, message[1] ?? 0, Buffer.alloc(16), message.subarray(20)).equals(message);

const answerTo = (message: Buffer): Buffer =>
  signed(disconnectAck, message[1] ?? 0, message.subarray(4, 20), Buffer.alloc(0));

function read(message: Buffer): Map<number, string> {
  const found = new Map<number, string>();
  for (let at = 20; at < message.length; at += message[at + 1] ?? message.length) {
    found.set(message[at] ?? 0, message.toString("latin1", at + 2, at + (message[at + 1] ?? 0)));
  }
  return found;
}
