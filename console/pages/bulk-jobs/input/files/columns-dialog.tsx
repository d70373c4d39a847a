import { Alert, Button, Checkbox, Group, Modal, NativeSelect, Radio, Stack, Table, Text } from "@mantine/core";
import { IconAlertTriangle, IconColumnsOff, IconInfoCircle } from "../../../../ui/icons.tsx";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { jobColumns } from "../../../../../domain/bulk-job/input/columns.ts";
import { kindsOfJob } from "../../../../../domain/bulk-job/job.ts";
import { useNumber } from "../../counts.ts";
import type { Chosen } from "../file-type.ts";
import type { JobKind } from "../../job.ts";
import { faultsOf, isBare, isByAddressAlone, withoutRest, type Choice, type ChoiceFault } from "./column-choice.ts";
import {
  answersAt,
  chosenOf,
  faultyCells,
  headerRowsOf,
  hiddenRows,
  opensWith,
  proposedAnswers,
  tableOf,
  type Answers,
  withRemembered,
  type Proposal,
} from "./proposal.ts";
import { rememberChoices } from "./remembered-choices.ts";

interface ColumnsDialogProps {
  kind: JobKind;
  proposal: Proposal;
  onChosen: (chosen: Chosen) => void;
  onRefused: (error: Error) => void;
  onClose: () => void;
}

/**
 * Asks in one dialog about a file's sheet, heading row, columns and hidden rows, and whether its names were decoded
 * correctly.
 */
export function ColumnsDialog({ kind, proposal, onChosen, onRefused, onClose }: ColumnsDialogProps) {
  const { t } = useTranslation();
  const [answers, setAnswers] = useState(() => proposedAnswers(localStorage, kind, proposal));
  const [busy, setBusy] = useState(false);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const { headings } = tableOf(proposal, answers);
  const faults = answers.headed ? faultsOf(kind, answers.choices, { form: proposal.form, headings }) : [];
  const isHiddenOpen = answers.usesHidden === undefined && hiddenRows(proposal, answers) > 0;
  const send = async () => {
    setBusy(true);
    try {
      const chosen = await chosenOf(kind, proposal, answers);
      // After Cancel nothing is sent, and the next file's dialog stays open.
      if (!isOpen.current) return;
      if (answers.headed) rememberChoices(localStorage, { kind, headings, choices: answers.choices });
      onClose();
      onChosen(chosen);
    } catch (error) {
      if (!isOpen.current) return;
      onClose();
      onRefused(error as Error);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={proposal.name ?? t("jobs.columnsDialog.rows")}
      closeButtonProps={{ "aria-label": t("confirm.cancel") }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack gap="md">
          <SheetChoice
            proposal={proposal}
            sheet={answers.sheet}
            onChange={(sheet) => {
              setAnswers(proposedAnswers(localStorage, kind, proposal, sheet));
            }}
          />
          <Encoding proposal={proposal} />
          <HeaderRow kind={kind} proposal={proposal} answers={answers} onChange={setAnswers} />
          <HiddenRows kind={kind} proposal={proposal} answers={answers} onChange={setAnswers} />
          <FirstRow kind={kind} proposal={proposal} answers={answers} onChange={setAnswers} />
          {answers.headed && answers.remembered === true && (
            <Text size="sm" c="dimmed">
              {t("jobs.columnsDialog.remembered")}
            </Text>
          )}
          <Columns kind={kind} proposal={proposal} answers={answers} onChange={setAnswers} />
          <Rest answers={answers} onChange={setAnswers} />
          {answers.headed && isByAddressAlone(kind, answers.choices) && (
            <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} role="status">
              {t("jobs.columnsDialog.addressOnly", { column: t("jobs.columnNames.pairwiseID") })}
            </Alert>
          )}
          <FaultyCells proposal={proposal} answers={answers} />
          {faults.length > 0 && (
            <Alert
              color="yellow"
              icon={<IconAlertTriangle aria-hidden />}
              title={t("jobs.columnsDialog.faults")}
              role="status"
            >
              {faults.map((fault) => (
                <Text key={fault.key === "heading" ? `heading ${fault.headings.join()}` : fault.key} size="sm">
                  <Fault kind={kind} fault={fault} />
                </Text>
              ))}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("confirm.cancel")}
            </Button>
            <Button type="submit" loading={busy} disabled={faults.length > 0 || isHiddenOpen}>
              {t("jobs.file.check")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Fault({ kind, fault }: { kind: JobKind; fault: ChoiceFault }) {
  const { t } = useTranslation();
  const or = t("jobs.refused.or");
  if (fault.key === "heading") {
    const headings = fault.headings.map((heading) => (heading === "" ? "–" : heading)).join(or);
    return t("jobs.columnsDialog.fault.heading", { headings });
  }
  const columns = fault.columns.map((column) => t(`jobs.columnNames.${column}`)).join(or);
  return fault.key === "needed"
    ? t(`jobs.about.${kindsOfJob[kind].of}.needed`, { columns })
    : t(`jobs.columnsDialog.fault.${fault.key}`, { columns });
}

function SheetChoice({
  proposal,
  sheet,
  onChange,
}: {
  proposal: Proposal;
  sheet: number;
  onChange: (sheet: number) => void;
}) {
  const { t } = useTranslation();
  const number = useNumber();
  if (proposal.form === "csv" || proposal.workbook.sheets.length < 2) return null;
  const first = opensWith(proposal, sheet);
  return (
    <NativeSelect
      label={t("jobs.columnsDialog.sheet")}
      description={first !== undefined && t("jobs.columnsDialog.opensWith", { name: first })}
      value={String(sheet)}
      data={proposal.workbook.sheets.map(({ name, rows, hidden }, index) => ({
        value: String(index),
        label: t(hidden ? "jobs.columnsDialog.hiddenSheetRows" : "jobs.columnsDialog.sheetRows", {
          ...{ name, count: rows, formatted: number(rows) },
        }),
      }))}
      onChange={(event) => {
        onChange(Number(event.currentTarget.value));
      }}
    />
  );
}

/**
 * For a file that is not UTF-8: warns that it was decoded as Windows-1252, so the user checks the names in the samples.
 */
function Encoding({ proposal }: { proposal: Proposal }) {
  const { t } = useTranslation();
  if (proposal.form === "xlsx" || proposal.head.charset === undefined) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.columnsDialog.encoding.title")}>
      {t("jobs.columnsDialog.encoding.text")}
    </Alert>
  );
}

interface Asking {
  kind: JobKind;
  proposal: Proposal;
  answers: Answers;
  onChange: (answers: Answers) => void;
}

const shownCells = 4;

/** Asks which row contains the headings; titles may precede that row. */
function HeaderRow({ kind, proposal, answers, onChange }: Asking) {
  const { t } = useTranslation();
  const number = useNumber();
  const rows = headerRowsOf(proposal, answers.sheet);
  if (rows.length < 2 || !answers.headed) return null;
  return (
    <NativeSelect
      label={t("jobs.columnsDialog.headerRow")}
      value={String(answers.headerRow)}
      data={rows.map(({ row, cells }) => ({
        value: String(row),
        label: t("jobs.columnsDialog.headerRowChoice", {
          row: number(row),
          text: cells
            .filter((cell) => cell !== "")
            .slice(0, shownCells)
            .join(" · "),
        }),
      }))}
      onChange={(event) => {
        const headerRow = Number(event.currentTarget.value);
        const { sheet, usesHidden } = answers;
        const chosen = { ...answersAt(kind, proposal, { sheet, headerRow }), usesHidden };
        onChange(withRemembered(localStorage, kind, proposal, chosen));
      }}
    />
  );
}

/** For a sheet with hidden rows, such as filtered ones: asks whether the job uses those rows. */
function HiddenRows({ proposal, answers, onChange }: Asking) {
  const { t } = useTranslation();
  const number = useNumber();
  const count = hiddenRows(proposal, answers);
  if (count === 0) return null;
  return (
    <Radio.Group
      label={t("jobs.columnsDialog.hiddenRows", { count, formatted: number(count) })}
      value={answers.usesHidden === undefined ? null : String(answers.usesHidden)}
      onChange={(value) => {
        onChange({ ...answers, usesHidden: value === "true" });
      }}
    >
      <Group gap="md" mt={4}>
        <Radio value="true" label={t("jobs.columnsDialog.useHidden")} />
        <Radio value="false" label={t("jobs.columnsDialog.leaveHidden")} />
      </Group>
    </Radio.Group>
  );
}

/** For a single column without a known heading: asks whether its first row is data. */
function FirstRow({ kind, proposal, answers, onChange }: Asking) {
  const { t } = useTranslation();
  const { headings } = tableOf(proposal, answers);
  if (!isBare(kind, headings)) return null;
  return (
    <Checkbox
      label={t("jobs.columnsDialog.withoutHeadings", { text: headings.find((heading) => heading !== "") })}
      description={t(`jobs.about.${kindsOfJob[kind].of}.firstRow`)}
      checked={!answers.headed}
      onChange={(event) => {
        onChange({ ...answers, headed: !event.currentTarget.checked });
      }}
    />
  );
}

/** Shows all columns with samples, and asks for their meanings. */
function Columns({ kind, proposal, answers, onChange }: Asking) {
  const { t } = useTranslation();
  const { headings, samples } = tableOf(proposal, answers);
  const label = t("jobs.columnsDialog.columns");
  const choose = (index: number, choice: Choice) => {
    onChange({ ...answers, choices: answers.choices.map((other, at) => (at === index ? choice : other)) });
  };
  return (
    <Table.ScrollContainer
      minWidth={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}
    >
      <Table withTableBorder verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("jobs.columnsDialog.heading")}</Table.Th>
            <Table.Th>{t("jobs.columnsDialog.samples")}</Table.Th>
            {answers.headed && <Table.Th>{t("jobs.columnsDialog.meaning")}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {headings.map((heading, index) => (
            // Only the position identifies a column: two columns can have the same heading.
            <Table.Tr key={index}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{heading === "" ? "–" : heading}</Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <Text size="sm" c="dimmed">
                  {samples
                    .map((row) => row[index] ?? "")
                    .filter((cell) => cell !== "")
                    .join(" · ")}
                </Text>
              </Table.Td>
              {answers.headed && (
                <Table.Td miw={180}>
                  <NativeSelect
                    aria-label={t("jobs.columnsDialog.meaningOf", { heading })}
                    value={answers.choices[index] ?? ""}
                    error={answers.choices[index] === undefined}
                    data={[
                      ...(answers.choices[index] === undefined
                        ? [{ value: "", label: t("jobs.columnsDialog.open"), disabled: true }]
                        : []),
                      ...jobColumns[kind].map((column) => ({ value: column, label: t(`jobs.columnNames.${column}`) })),
                      { value: "ignore", label: t("jobs.columnsDialog.ignore") },
                    ]}
                    onChange={(event) => {
                      choose(index, event.currentTarget.value as Choice);
                    }}
                  />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Offers to ignore all columns that the user has not chosen. */
function Rest({ answers, onChange }: Pick<Asking, "answers" | "onChange">) {
  const { t } = useTranslation();
  const open = answers.choices.filter((choice) => choice === undefined).length;
  if (!answers.headed || open === 0) return null;
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconColumnsOff size={16} aria-hidden />}
        onClick={() => {
          onChange({ ...answers, choices: withoutRest(answers.choices) });
        }}
      >
        {t("jobs.columnsDialog.ignoreRest")}
      </Button>
    </Group>
  );
}

const shownMax = 10;

/** Lists the cells whose values the spreadsheet changed. Their rows fail. */
function FaultyCells({ proposal, answers }: { proposal: Proposal; answers: Answers }) {
  const { t } = useTranslation();
  const number = useNumber();
  const cells = faultyCells(proposal, answers);
  if (cells.length === 0) return null;
  const { headings } = tableOf(proposal, answers);
  const rows = new Set(cells.map(({ row }) => row)).size;
  return (
    <Alert
      color="red"
      icon={<IconInfoCircle aria-hidden />}
      title={t("jobs.columnsDialog.faulty", { count: rows, formatted: number(rows) })}
    >
      {cells.slice(0, shownMax).map(({ row, column, fault }) => (
        <Text key={`${row} ${column}`} size="sm">
          {t(`jobs.columnsDialog.faultyCell.${fault}`, { row: number(row), column: headings[column] ?? "" })}
        </Text>
      ))}
      {cells.length > shownMax && (
        <Text size="sm">{t("jobs.columnsDialog.faultyMore", { count: cells.length - shownMax })}</Text>
      )}
    </Alert>
  );
}
