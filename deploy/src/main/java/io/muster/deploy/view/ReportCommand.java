package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.extender.core.shadow.ShadowLedger;
import io.muster.extender.kube.shadow.LedgerObject;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code muster report}: what would have been different in namespaces in shadow. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = {
      "Says what would have been different with Muster in namespaces in shadow: gangs that were"
          + " started in part, the device hours that they held meanwhile, and pods that would have"
          + " been refused. Changes nothing."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:printed", "2:wrong use, or no cluster"})
public final class ReportCommand extends ConsoleCommand {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Pattern DAYS = Pattern.compile("([1-9]\\d?)d");

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = "--since",
      paramLabel = "DAYS",
      defaultValue = "7d",
      description =
          "So many days of UTC with today, at most " + ShadowLedger.DAYS + "d. Default: 7d")
  private String since = "7d";

  @Override
  protected int run() throws JsonProcessingException {
    var settings = cluster.config();
    var namespace = settings.text(Setting.NAMESPACE);
    var today = LocalDate.ofInstant(CLOCK.instant(), ZoneOffset.UTC);
    var first = today.minusDays(days() - 1L);
    Optional<ShadowLedger> ledger;
    try (var client = ClusterAccess.forCommand(settings)) {
      ledger = new LedgerObject(client, namespace).read();
    }
    if (ledger.isEmpty()) {
      warn(
          "there is no ConfigMap %s in the namespace %s: nothing has been counted yet, or Muster is"
                  .formatted(LedgerObject.NAME, namespace)
              + " in another one, to be named with -n");
    }
    var report = ShadowReport.of(ledger.orElse(ShadowLedger.EMPTY), first, today);
    output.print(out(), report.lines(), report.document());
    return CommandLine.ExitCode.OK;
  }

  private int days() {
    var given = DAYS.matcher(since);
    if (!given.matches() || Integer.parseInt(given.group(1)) > ShadowLedger.DAYS) {
      throw new ParameterException(
          line(), "--since: %s is none of 1d to %dd".formatted(since, ShadowLedger.DAYS));
    }
    return Integer.parseInt(given.group(1));
  }
}
