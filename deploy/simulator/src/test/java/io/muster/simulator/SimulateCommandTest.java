package io.muster.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SimulateCommandTest {

  private static final String SMALL = "jobs=60,gpus=64,load=1.2,seed=3";

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void printsARowForEachOrder() {
    assertThat(run("--synthetic", SMALL, "--order", "priority,shortest-gang,least-attained"))
        .isZero();
    assertThat(out.toString().lines().map(line -> line.split(" ", 2)[0]))
        .containsSequence("policy", "priority", "shortest-gang", "least-attained");
    assertThat(out.toString()).contains("60 jobs on 8 nodes with 64 GPUs", "no trace of a cluster");
  }

  @Test
  void theSameFiguresComeAsJson() throws IOException {
    assertThat(run("--synthetic", SMALL, "-o", "json")).isZero();
    var document = JsonMapper.builder().build().readTree(out.toString());
    var run = document.path("runs").path(0);
    assertThat(run.path("policy").asText()).isEqualTo("priority");
    assertThat(run.path("jobs").asInt()).isEqualTo(60);
    assertThat(run.path("incompleteGpuSeconds").asDouble()).isZero();
    assertThat(run.path("utilisation").asDouble()).isBetween(0.1, 1.0);
    assertThat(run.path("jctMeanSeconds").asDouble()).isPositive();
  }

  @Test
  void expectedStartsAreComparedWithWhatHappens() {
    assertThat(run("estimates", "--synthetic", "jobs=300,gpus=32,load=1.5,seed=3", "--every", "10"))
        .isZero();

    assertThat(figure("gangs with an estimate before their start")).isGreaterThan(100);
    assertThat(figure("gangs that waited, and had none")).isZero();
    assertThat(figure("median error, % of the wait")).isLessThanOrEqualTo(25);
    assertThat(figure("of these started by then, %")).isBetween(75.0, 100.0);
  }

  /** Each takes the whole node for ten minutes; one comes every six. */
  private String alikeJobs() throws IOException {
    var rows = new StringBuilder("job_id,submit_s,duration_s,min_pods,pod_gpus\n");
    for (int i = 0; i < 60; i++) {
      rows.append("job%c,%d,%d,1,8\n".formatted('A' + i, i * 360, 590 + i % 20));
    }
    var file = folder.resolve("alike.csv");
    Files.writeString(file, rows);
    return file.toString();
  }

  @Test
  void withoutHintsRunTimesAreLearnedFromRunsOfTheSameJob() throws IOException {
    var trace = alikeJobs();
    assertThat(run("estimates", "--trace", trace, "--nodes", "1x8", "--every", "5", "--no-hints"))
        .isZero();
    assertThat(figure("gangs with an estimate before their start")).isZero();
    assertThat(figure("gangs that waited, and had none")).isGreaterThan(40);

    out.getBuffer().setLength(0);
    assertThat(
            run(
                "estimates",
                "--trace",
                trace,
                "--nodes",
                "1x8",
                "--every",
                "5",
                "--no-hints",
                "--alike",
                "4"))
        .isZero();
    assertThat(figure("gangs with an estimate before their start")).isGreaterThan(40);
    assertThat(figure("median error, % of the wait")).isLessThanOrEqualTo(5);
  }

  @Test
  void aFactorThatMakesNoDifferenceIsRefused() {
    assertThat(run("estimates", "--synthetic", SMALL, "--alike", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("--alike above 1");
  }

  @Test
  void startsAreEstimatedUnderTheOrderThatIsSaid() {
    var jobs = "jobs=300,gpus=32,load=1.5,seed=3";
    assertThat(run("estimates", "--synthetic", jobs, "--every", "50")).isZero();
    var byPriority = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("estimates", "--synthetic", jobs, "--every", "50", "--order", "shortest-gang"))
        .isZero();
    assertThat(out.toString()).isNotEqualTo(byPriority);

    assertThat(run("estimates", "--synthetic", jobs, "--order", "fifo")).isEqualTo(2);
    assertThat(run("estimates", "--synthetic", jobs, "--order", "priority,least-attained"))
        .isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "muster: --order: must be priority, shortest-gang or least-attained, not fifo",
            "muster: --order: estimates are compared under one order");
  }

  @Test
  void nodesThatAreSaidTakeThePlaceOfThoseOfTheTrace() throws IOException {
    assertThat(run("--synthetic", SMALL, "--nodes", "12x8")).isZero();
    assertThat(out.toString()).contains("60 jobs on 12 nodes with 96 GPUs");

    out.getBuffer().setLength(0);
    var file = folder.resolve("n.csv");
    Files.writeString(file, "sn,cpu_milli,memory_mib,gpu,model\nn0,640000,2621440,128,P100\n");
    assertThat(run("--synthetic", SMALL, "--node-file", file.toString())).isZero();
    assertThat(out.toString()).contains("60 jobs on 1 nodes with 128 GPUs");
  }

  @Test
  void aShareOfElasticJobsMayBeNone() {
    assertThat(run("--synthetic", SMALL + ",elastic=0")).isZero();
  }

  private double figure(String what) {
    return out.toString()
        .lines()
        .filter(line -> line.startsWith(what))
        .mapToDouble(line -> Double.parseDouble(line.substring(what.length()).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void thePageNeedsNothingButItself() throws IOException {
    var page = folder.resolve("page.html");
    assertThat(
            run(
                "--synthetic",
                SMALL,
                "--order",
                "priority,shortest-gang",
                "--html",
                page.toString()))
        .isZero();
    var html = Files.readString(page);
    assertThat(html)
        .contains(
            "Utilisation over time", "Waiting over time", "Job completion time", "<td>60</td>")
        .doesNotContain("http:", "https:", "<script", "src=", "@import", "NaN");
    assertThat(html.split("<svg", -1)).hasSize(4);
    assertThat(Files.size(page)).isLessThan(5_000_000);
  }

  @Test
  void queuesAreReadAsLive() throws IOException {
    var trace = folder.resolve("t.csv");
    Files.writeString(
        trace,
        """
        job_id,queue,submit_s,duration_s,min_pods,pod_gpus
        a,small,0,3600,1,8
        b,small,0,3600,1,8
        """);
    var queues = folder.resolve("queues.yaml");
    Files.writeString(queues, "queues:\n- {name: small, gpus: 8, limit: 8}\n");
    assertThat(
            run(
                "--trace",
                trace.toString(),
                "--nodes",
                "2x8",
                "--queues",
                queues.toString(),
                "-o",
                "json"))
        .isZero();
    var document = JsonMapper.builder().build().readTree(out.toString());
    assertThat(document.at("/runs/0/makespanSeconds").asDouble()).isEqualTo(7200);
  }

  @Test
  void jobsThatMayHaveMorePodsGrowByThePolicyThatIsSaid() throws IOException {
    var trace = folder.resolve("t.csv");
    Files.writeString(
        trace,
        """
        job_id,submit_s,duration_s,min_pods,max_pods,pod_gpus,serial_share
        a,0,7200,1,4,8,0
        """);
    var page = folder.resolve("page.html");
    assertThat(
            run(
                "--trace",
                trace.toString(),
                "--nodes",
                "4x8",
                "--resize-cost",
                "0s",
                "--elastic",
                "edl",
                "--html",
                page.toString(),
                "-o",
                "json"))
        .isZero();
    var run = JsonMapper.builder().build().readTree(out.toString()).at("/runs/0");
    assertThat(run.path("resizes").asInt()).isEqualTo(1);
    assertThat(run.path("makespanSeconds").asDouble()).isEqualTo(5 + 7195 / 4.0);
    assertThat(Files.readString(page)).contains("<td>1</td><td>0</td></tr>");
    out.getBuffer().setLength(0);
    assertThat(run("--trace", trace.toString(), "--nodes", "4x8", "--elastic", "off")).isZero();
    assertThat(out.toString()).containsPattern("resizes  left\npriority .* 2\\.00 .*  0     0\n");
  }

  @Test
  void wrongUseIsOneLineThatSaysWhatWouldBeRight() throws IOException {
    assertThat(run()).isEqualTo(2);
    assertThat(run("--philly", "5")).isEqualTo(2);
    assertThat(run("--synthetic", "jobs=0")).isEqualTo(2);
    assertThat(run("--synthetic", "jobs=0.5")).isEqualTo(2);
    assertThat(run("--synthetic", "seed=1.5")).isEqualTo(2);
    assertThat(run("--synthetic", "elastic=2")).isEqualTo(2);
    assertThat(run("--synthetic", "size=1")).isEqualTo(2);
    assertThat(run("--philly", "3", "--order", "fifo")).isEqualTo(2);
    assertThat(run("--philly", "3", "--restart", "soon")).isEqualTo(2);
    assertThat(run("--philly", "3", "--elastic", "on")).isEqualTo(2);
    assertThat(run("--philly", "3", "--resize-cost", "1")).isEqualTo(2);
    assertThat(run("--trace", "x.csv", "--format", "slurm")).isEqualTo(2);
    assertThat(run("--trace", "x.csv", "--nodes", "8")).isEqualTo(2);
    assertThat(run("--philly", "3", "--nodes", "8x")).isEqualTo(2);
    assertThat(run("--trace", folder.resolve("x.csv").toString())).isEqualTo(2);
    var queues = Files.writeString(folder.resolve("q.yaml"), "queues: 3\n");
    assertThat(run("--philly", "3", "--queues", queues.toString())).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "muster: give one of --trace, --philly and --synthetic",
            "muster: --philly: must be 1 to 4, not 5",
            "muster: --synthetic: jobs must be a whole number from 1 to 10000000, not 0",
            "muster: --synthetic: jobs must be a whole number from 1 to 10000000, not 0.5",
            "muster: --synthetic: seed must be a whole number from 1 to 9223372036854775807, not"
                + " 1.5",
            "muster: --synthetic: elastic must be a number from 0 to 1, not 2",
            "muster: --synthetic: must be like jobs=1000,gpus=64,load=0.9,seed=1, not size=1",
            "muster: --order: must be priority, shortest-gang or least-attained, not fifo",
            "muster: --restart: must be a duration like 90s, 10m or 1h30m, not soon",
            "muster: --elastic: must be gang, edl or off, not on",
            "muster: --resize-cost: must be a duration like 90s, 10m or 1h30m, not 1",
            "muster: --format: slurm is none of replay, philly-muri, philly, openb, pai, helios, acme",
            "muster: --nodes: must be how many with how many GPUs, like 8x8, not 8",
            "muster: --nodes: must be how many with how many GPUs, like 8x8, not 8x",
            "muster: " + folder.resolve("x.csv") + ": there is no such file",
            "muster: the document must have one field, queues, with a list");
  }
}
