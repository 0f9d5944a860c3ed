package io.muster.webhook.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.webhook.core.patch.EnvVar;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No two members have one rank, and all meet at a member that there is. */
final class MemberRanksTest {

  private static final int MEMBERS = 4;
  private static final String NOWHERE = "where member 0 is found is not known";
  private static final Pattern ROLE = Pattern.compile("(\\w+)=(\\d+)");

  private final Rendezvous rendezvous = new Rendezvous(KnownKinds.ALL);

  /** What a member says of itself: as labels and as annotations, whichever its kind reads. */
  private record Said(
      String name, String roles, Map<String, String> marks, Optional<Integer> told) {

    GangMember member() {
      return member(false);
    }

    GangMember member(boolean hasSeveralRoles) {
      var counts = new TreeMap<String, Integer>();
      ROLE.matcher(roles)
          .results()
          .forEach(role -> counts.put(role.group(1), Integer.valueOf(role.group(2))));
      var terms =
          new Terms.Usable(
              MEMBERS,
              MEMBERS,
              Terms.Mode.STRICT,
              Terms.MatchPolicy.ONCE_SATISFIED,
              Duration.ofMinutes(10),
              new TreeSet<>(List.of("ml/train")),
              counts,
              Terms.OnLoss.REPLACE,
              Topology.ANYWHERE);
      var markings = new Markings("ml", marks, marks);
      return new GangMember(
          "train", terms, markings, name, name, "meet", Optional.of("uid"), told, hasSeveralRoles);
    }
  }

  private static Said volcano(String task, int index, String roles) {
    var marks = Map.of("volcano.sh/task-spec", task, "volcano.sh/task-index", "" + index);
    return new Said("train-%s-%d".formatted(task, index), roles, marks, Optional.empty());
  }

  private static Said kubeflow(String type, int index, String roles, Optional<Integer> told) {
    var prefix = "training.kubeflow.org/";
    var marks =
        Map.of(
            prefix + "job-name",
            "train",
            prefix + "replica-type",
            type,
            prefix + "replica-index",
            "" + index);
    return new Said("train-%s-%d".formatted(type, index), roles, marks, told);
  }

  private static Said stateful(String key, int index) {
    var name = "train-" + index;
    return new Said(
        name,
        "",
        Map.of(key, "" + index, "statefulset.kubernetes.io/pod-name", name),
        Optional.empty());
  }

  private Meeting meeting(Said said) {
    return rendezvous.of(said.member(), RendezvousProfile.TORCHRUN_STATIC);
  }

  private static String rank(Said said, Meeting meeting) {
    return meeting.always().stream()
        .filter(variable -> variable.name().equals("NODE_RANK"))
        .map(EnvVar::source)
        .map(source ->
            source instanceof EnvVar.Field(var path)
                ? said.marks().get(path.replaceAll(".*'(.*)'.*", "$1"))
                : ((EnvVar.Literal) source).value())
        .findFirst()
        .orElse("none");
  }

  private static String address(Meeting meeting) {
    return meeting.byProfile().stream()
        .filter(variable -> variable.name().equals("MASTER_ADDR"))
        .map(variable -> ((EnvVar.Literal) variable.source()).value())
        .findFirst()
        .orElse("none");
  }

  @ParameterizedTest
  @CsvSource({
    "master, 0, master=1;worker=3, 0, train-master-0.meet",
    "worker, 0, master=1;worker=3, 1, train-master-0.meet",
    "worker, 2, Master=1;Worker=3, 3, train-master-0.meet",
    "chief, 0, chief=1;worker=3, 0, train-chief-0.meet",
    "worker, 0, chief=1;worker=3, 1, train-chief-0.meet",
    "worker, 3, worker=4, 3, train-worker-0.meet",
    "worker, 3, '', 3, train-worker-0.meet",
    "ps, 0, ps=1;worker=3, none, none",
    "worker, 0, ps=1;worker=3, none, none"
  })
  void aVolcanoJobIsRankedFromItsLeadingTask(
      String task, int index, String roles, String rank, String address) {
    var said = volcano(task, index, roles);
    var meeting = meeting(said);

    assertThat(rank(said, meeting)).isEqualTo(rank);
    assertThat(address(meeting)).isEqualTo(address);
    assertThat(meeting.warnings().toString().contains(NOWHERE)).isEqualTo(address.equals("none"));
  }

  @ParameterizedTest
  @CsvSource({
    "ps, 0, '', none, none",
    "worker, 0, '', none, none",
    "master, 0, '', 0, train-master-0.meet",
    "worker, 0, master=1;worker=3, 1, train-master-0.meet"
  })
  void aVolcanoJobOfSeveralTasksIsRankedOnlyWhereTheirOrderIsKnown(
      String task, int index, String roles, String rank, String address) {
    var said = volcano(task, index, roles);
    var meeting = rendezvous.of(said.member(true), RendezvousProfile.TORCHRUN_STATIC);

    assertThat(rank(said, meeting)).isEqualTo(rank);
    assertThat(address(meeting)).isEqualTo(address);
  }

  @ParameterizedTest
  @CsvSource({
    "ps, 0, ps=1;worker=3, none",
    "worker, 0, ps=1;worker=3, none",
    "evaluator, 0, master=1;worker=2, none",
    "chief, 0, chief=1;ps=1;worker=2, 0",
    "worker, 0, chief=1;ps=1;worker=2, none",
    "chief, 0, chief=1;master=1;worker=2, 1",
    "worker, 0, chief=1;master=1;worker=2, 2"
  })
  void rolesOfWhichNoneLeadsHaveNoRank(String type, int index, String roles, String rank) {
    var said = kubeflow(type, index, roles, Optional.empty());

    assertThat(rank(said, meeting(said))).isEqualTo(rank);
  }

  @ParameterizedTest
  @CsvSource({
    "worker, 1, worker=4, train-worker-0",
    "worker, 1, Chief=1;Worker=3, train-chief-0",
    "worker, 1, Master=1;Worker=3, train-master-0",
    "chief, 0, '', train-chief-0",
    "master, 0, '', train-master-0",
    "worker, 1, ps=1;worker=3, none",
    "worker, 1, '', none"
  })
  void aKubeflowJobMeetsAtTheRoleThatItHas(String type, int index, String roles, String address) {
    var meeting = meeting(kubeflow(type, index, roles, Optional.empty()));

    assertThat(address(meeting)).isEqualTo(address);
    assertThat(meeting.warnings().toString().contains(NOWHERE)).isEqualTo(address.equals("none"));
  }

  @Test
  void aToldRankTellsOfAMaster() {
    assertThat(address(meeting(kubeflow("worker", 1, "", Optional.of(2)))))
        .isEqualTo("train-master-0");
    assertThat(address(meeting(kubeflow("worker", 1, "", Optional.of(1))))).isEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "apps.kubernetes.io/pod-index",
        "muster.io/gang-index",
        "gang.scheduling.koordinator.sh/network-topology-index",
        "batch.kubernetes.io/job-completion-index"
      })
  void anIndexBeyondTheGangIsNoRank(String key) {
    var said = stateful(key, MEMBERS);
    var meeting = meeting(said);

    assertThat(rank(said, meeting)).isEqualTo("none");
    assertThat(address(meeting)).isEqualTo("none");
    assertThat(meeting.warnings())
        .hasSize(2)
        .first()
        .isEqualTo(
            "rank 4 is not used: the gang has 4 members, counted from 0; begin with index 0, or set"
                + " muster.io/gang-total");
    assertThat(rank(stateful(key, MEMBERS - 1), meeting(stateful(key, MEMBERS - 1))))
        .isEqualTo("3");
  }

  /** Spare members, whom an elastic launcher lets in when another one is lost. */
  @ParameterizedTest
  @EnumSource(names = {"TORCHRUN_ELASTIC", "HOROVOD_ELASTIC", "DLROVER"})
  void anElasticGangMayHaveMore(RendezvousProfile profile) {
    var said = stateful("muster.io/gang-index", MEMBERS);
    var meeting = rendezvous.of(said.member(), profile);

    assertThat(rank(said, meeting)).isEqualTo("4");
    assertThat(meeting.warnings()).isEmpty();
  }

  /** Each ScaleOut is a gang of its own. */
  @Test
  void workersOfATrainingJobAreCountedThroughItsGangs() {
    var said =
        new Said(
            "train-worker-9",
            "",
            Map.of("training-job-name", "train", "replica-index", "9"),
            Optional.empty());

    assertThat(rank(said, meeting(said))).isEqualTo("9");
    assertThat(address(meeting(said))).isEqualTo("train-worker-0");
  }
}
