package io.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Speed;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each format from a few lines made by hand, and what is said of lines that cannot be read. */
final class TraceFormatTest {

  private static final List<Machine> NODES = Machine.alike(8, 8);

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Trace read(TraceFormat format, String name, String text) throws IOException {
    return format.read(file(name, text), NODES);
  }

  private void refuses(TraceFormat format, String name, String text, String message)
      throws IOException {
    var path = file(name, text);
    assertThatThrownBy(() -> format.read(path, NODES))
        .isInstanceOf(UnreadableTraceException.class)
        .hasMessage(folder + "/" + message);
  }

  private static TraceJob.Part pods(int pods, int gpus) {
    return new TraceJob.Part("", pods, 0, 0, gpus, Set.of());
  }

  @Test
  void gangsOfMuriAreInPodsOfEight() throws IOException {
    var trace =
        read(
            TraceFormat.PHILLY_MURI,
            "m.csv",
            """
            job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration
            0,1,5000,1,dqn,1,2868
            1,32,9000,1,dqn,1,4000
            """);
    assertThat(trace.jobs()).extracting(TraceJob::id).containsExactly("0", "1");
    assertThat(trace.jobs().getFirst().submit()).isZero();
    assertThat(trace.jobs().getLast().submit()).isEqualTo(Duration.ofSeconds(4));
    assertThat(trace.jobs().getFirst().duration()).isEqualTo(Duration.ofMillis(2868));
    assertThat(trace.jobs().getLast().parts()).containsExactly(pods(4, 8));
  }

  @Test
  void rowsOfOneJobArePartsOfOneGang() throws IOException {
    var trace =
        read(
            TraceFormat.REPLAY,
            "r.csv",
            """
            job_id,tenant,queue,priority,submit_s,duration_s,min_pods,max_pods,pod_cpu_milli,pod_mem_mib,pod_gpus,pod_gpu_milli,gpu_models,outcome,role,serial_share
            a,team/x,q1,5,10.5,60,1,1,4000,2048,0,,,Pass,master,
            a,team/x,q1,5,10.5,60,4,6,8000,4096,8,1000,"T4|P100",Pass,worker,0.25
            a,team/x,q1,5,10.5,60,1,2,4000,2048,0,,,Pass,evaluator,
            b,,,,0,1,1,,,,1,500,,,,
            """);
    assertThat(trace.jobs())
        .containsExactly(
            new TraceJob(
                "b", "default", "", 0, Duration.ZERO, Duration.ofSeconds(1), List.of(pods(1, 1))),
            new TraceJob(
                "a",
                "team-x",
                "q1",
                5,
                Duration.ofMillis(10_500),
                Duration.ofSeconds(60),
                List.of(
                    new TraceJob.Part("master", 1, 4000, 2048, 0, Set.of()),
                    new TraceJob.Part("worker", 4, 8000, 4096, 8, Set.of("T4", "P100")),
                    new TraceJob.Part("evaluator", 1, 4000, 2048, 0, Set.of())),
                Optional.of(new TraceJob.Elastic(1, 6, new Speed(0.25)))));
    assertThat(trace.notes())
        .containsExactly(
            "1 rows ask for a share of a device; each counts as a whole one",
            "1 rows may grow beside another of their job that may; they run with min_pods");
  }

  @Test
  void prioritiesOfTheSystemsOwnClassesAreRead() throws IOException {
    var trace =
        read(
            TraceFormat.REPLAY,
            "r.csv",
            """
            job_id,priority,submit_s,duration_s,min_pods,pod_gpus
            a,2000001000,0,60,1,1
            """);
    assertThat(trace.jobs().getFirst().priority()).isEqualTo(2_000_001_000);
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        "job_id,priority,submit_s,duration_s,min_pods,pod_gpus\na,2000001001,0,60,1,1\n",
        "r.csv:2, column priority: must be a whole number from -1000000000 to 2000001000, not"
            + " \"2000001001\"");
  }

  @Test
  void idsThatAreReadAlikeAreRefusedInOneTenant() throws IOException {
    var rows =
        """
        job_id,tenant,submit_s,duration_s,min_pods,pod_gpus
        a/1,t,0,10,1,1
        a-1,%s,0,10,1,1
        """;
    assertThat(read(TraceFormat.REPLAY, "r.csv", rows.formatted("u")).jobs()).hasSize(2);
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        rows.formatted("t"),
        "r.csv:3, column job_id: \"a-1\" is read as \"a-1\", as is \"a/1\" in %s/r.csv:2"
            .formatted(folder));
  }

  @Test
  void theOwnFormatMayBeJson() throws IOException {
    var trace =
        read(
            TraceFormat.REPLAY,
            "r.json",
            """
            [{"job_id": "a", "submit_s": 0, "duration_s": 60, "min_pods": 2, "pod_gpus": 4}]
            """);
    assertThat(trace.jobs().getFirst().parts()).containsExactly(pods(2, 4));
  }

  @Test
  void podsOfOpenbAreGangsOfOne() throws IOException {
    var trace =
        read(
            TraceFormat.OPENB,
            "o.csv",
            """
            name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
            p0,12000,16384,1,1000,V100M16|V100M32,LS,Running,100,700,110
            p1,6000,12288,1,460,,LS,Running,100,200,150
            p2,6000,12288,1,460,,LS,Pending,100,200,
            """);
    assertThat(trace.jobs()).hasSize(2);
    assertThat(trace.jobs().getFirst().duration()).isEqualTo(Duration.ofSeconds(590));
    assertThat(trace.jobs().getFirst().parts())
        .containsExactly(new TraceJob.Part("", 1, 12_000, 16_384, 1, Set.of("V100M16", "V100M32")));
    assertThat(trace.notes()).hasSize(3);
  }

  @Test
  void nodesOfOpenbAreReadToo() throws IOException {
    var nodes =
        OpenbLoader.machines(
            file("n.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n"));
    assertThat(nodes).containsExactly(new Machine("n0", "P100", 64_000, 262_144, 2));
  }

  @Test
  void tasksOfPaiStartTogether() throws IOException {
    var trace =
        read(
            TraceFormat.PAI,
            "p.csv",
            """
            job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
            j1,ps,2,Terminated,1000,1500,600.0,10,,MISC
            j1,worker,8,Terminated,1010,1600,600.0,29.5,50.0,T4
            j2,worker,1,Running,1000,,600,1,100,V100
            """);
    assertThat(trace.jobs()).hasSize(1);
    var job = trace.jobs().getFirst();
    assertThat(job.duration()).isEqualTo(Duration.ofMinutes(10));
    assertThat(job.parts())
        .containsExactly(
            new TraceJob.Part("ps", 2, 6000, 10_240, 0, Set.of()),
            new TraceJob.Part("worker", 8, 6000, 30_208, 1, Set.of("T4")));
    assertThat(trace.notes())
        .containsExactly(
            "1 tasks ask for shares of devices; these count as whole ones",
            "1 jobs without a start or an end are left out");
  }

  @Test
  void devicesOfHeliosAreSpreadOverItsNodes() throws IOException {
    var trace =
        read(
            TraceFormat.HELIOS,
            "h.csv",
            """
            job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
            1,u1,vcA,16,32,2,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:10:00,2020-04-01 01:10:00,3600,600
            2,u2,vcB,10,20,4,FAILED,2020-04-01 01:00:00,2020-04-01 01:00:00,2020-04-01 01:10:00,600,0
            3,u2,vcB,0,20,0,CANCELLED,2020-04-01 01:00:00,,,0,0
            """);
    assertThat(trace.jobs()).extracting(TraceJob::tenant).containsExactly("vcA", "vcB");
    assertThat(trace.jobs().getLast().submit()).isEqualTo(Duration.ofHours(1));
    assertThat(trace.jobs().getFirst().parts())
        .containsExactly(new TraceJob.Part("", 2, 16_000, 0, 8, Set.of()));
    assertThat(trace.jobs().getLast().parts())
        .containsExactly(
            new TraceJob.Part("", 2, 5000, 0, 3, Set.of()),
            new TraceJob.Part("", 2, 5000, 0, 2, Set.of()));
  }

  @Test
  void jobsOfAcmeBelongToTheirUsers() throws IOException {
    var trace =
        read(
            TraceFormat.ACME,
            "a.csv",
            """
            job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
            dlc1,u7,8,64,0,Pretrain,COMPLETED,2023-03-01 00:00:00,2023-03-01 00:00:01,2023-03-01 01:00:01,3600,1,230400
            """);
    assertThat(trace.jobs().getFirst().tenant()).isEqualTo("u7");
    assertThat(trace.jobs().getFirst().parts()).containsExactly(pods(8, 8));
  }

  @Test
  void attemptsOfPhillyAddUp() throws IOException {
    var trace =
        read(
            TraceFormat.PHILLY,
            "l.json",
            """
            [{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "user": "u",
              "submitted_time": "2017-10-09 07:01:23",
              "attempts": [
                {"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:12:00", "detail": []},
                {"start_time": "2017-10-09 07:20:00", "end_time": "2017-10-09 08:20:00",
                 "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu0"]}]}]},
             {"status": "Killed", "vc": "v", "jobid": "application_2", "user": "u",
              "submitted_time": "2017-10-09 07:01:23", "attempts": []}]
            """);
    assertThat(trace.jobs()).hasSize(1);
    assertThat(trace.jobs().getFirst().duration()).isEqualTo(Duration.ofMinutes(70));
    assertThat(trace.jobs().getFirst().parts()).containsExactly(pods(1, 2), pods(1, 1));
    assertThat(trace.notes())
        .containsExactly("1 jobs that never ran, or have not ended, are left out");
  }

  @Test
  void badCellsAreNamedByFileLineAndColumn() throws IOException {
    var headings = "job_id,num_gpu,submit_time,duration\n";
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        headings + "0,1,0,5\n1,many,0,5\n",
        "m.csv:3, column num_gpu: must be a whole number from 1 to 100000000, not \"many\"");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        headings + "0,0,0,5\n",
        "m.csv:2, column num_gpu: must be a whole number from 1 to 100000000, not \"0\"");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        headings + "0,1,-4,5\n",
        "m.csv:2, column submit_time: must be milliseconds, a whole number of at least 0, not \"-4\"");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        headings + "0,1,0\n",
        "m.csv:2, column duration: is missing; every row needs it");
    var slurm = "job_id,vc,gpu_num,cpu_num,node_num,submit_time,duration\n";
    refuses(
        TraceFormat.HELIOS,
        "h.csv",
        slurm + "1,v,1,1,1,yesterday,5\n",
        "h.csv:2, column submit_time: must be a time like 2020-04-01 00:00:00, not \"yesterday\"");
    var growing = "job_id,submit_s,duration_s,min_pods,max_pods,pod_gpus,serial_share\n";
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        growing + "a,0,5,4,2,1,\n",
        "r.csv:2, column max_pods: must not be below min_pods, 4");
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        growing + "a,0,5,100000000,,1,\n",
        "r.csv:2, column min_pods: must be a whole number from 1 to 1000000, not \"100000000\"");
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        growing + "a,0,5,1,100000000,1,\n",
        "r.csv:2, column max_pods: must be a whole number from 1 to 1000000, not \"100000000\"");
    refuses(
        TraceFormat.HELIOS,
        "h.csv",
        slurm + "1,v,0,1,100000000,2020-04-01 00:00:00,5\n",
        "h.csv:2, column node_num: must be a whole number from 0 to 1000000, not \"100000000\"");
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        growing + "a,0,5,2,4,1,1.5\n",
        "r.csv:2, column serial_share: must be from 0 to 1, the share of the work that more pods"
            + " do not make faster");
  }

  @Test
  void badFilesAreNamedWithWhatWouldBeRight() throws IOException {
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "",
        "m.csv: is empty; its first line must name the columns");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,gpus\n",
        "m.csv:1: column duration, num_gpu, submit_time is missing; the first line must name the"
            + " columns, and names job_id, gpus");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,num_gpu,submit_time,duration,num_gpu\n1,1,1,1,8\n",
        "m.csv:1: names column num_gpu more than once");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,num_gpu,submit_time,duration\n1,1,1,1,1\n",
        "m.csv:2: has 5 cells, and the first line names 4 columns; put cells with commas in quotes");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,num_gpu,submit_time,duration\n\"1,1,1,1\n",
        "m.csv:2: a quote is not closed");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,num_gpu,submit_time,duration\n",
        "m.csv: no job is in it");
    refuses(
        TraceFormat.PHILLY_MURI,
        "m.csv",
        "job_id,num_gpu,submit_time,duration\n1,1,1,1\n1,1,1,1\n",
        "m.csv:3, column job_id: \"1\" is there already, in %s/m.csv:2".formatted(folder));
    refuses(TraceFormat.PHILLY, "l.json", "{}", "l.json: must be a JSON list of jobs");
    assertThatThrownBy(() -> TraceFormat.PAI.read(folder.resolve("none.csv"), NODES))
        .hasMessage(folder + "/none.csv: there is no such file");
    assertThatThrownBy(() -> read(TraceFormat.PHILLY, "l.json", "[{\n,"))
        .hasMessageStartingWith(folder + "/l.json:2: is no JSON: ");
  }

  @Test
  void rowsOfOneJobThatDisagreeAreRefused() throws IOException {
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        "job_id,submit_s,duration_s,min_pods,pod_gpus\na,0,5,1,1\na,0,6,1,1\n",
        "r.csv:3, column duration_s: \"6\" differs from \"5\" in %s/r.csv:2; rows of one job must agree"
            .formatted(folder));
    refuses(
        TraceFormat.REPLAY,
        "r.csv",
        "job_id,submit_s,duration_s,min_pods,max_pods,pod_gpus\na,0,5,4,2,1\n",
        "r.csv:2, column max_pods: must not be below min_pods, 4");
  }

  @Test
  void theBundledTracesAreAsPublished() {
    assertThat(List.of(1, 2, 3, 4))
        .extracting(number -> BundledTraces.philly(number).jobs().size())
        .containsExactly(1494, 5755, 992, 2638);
    assertThat(BundledTraces.philly(1).load()).isBetween(1.98, 2.0);
    assertThat(BundledTraces.philly(3).gpus()).isEqualTo(64);
  }
}
