package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static io.muster.extender.kube.gang.Gangs.TRAIN;
import static io.muster.extender.kube.gang.Gangs.record;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event.CompanionsEnsured;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.kube.gang.KnownGang;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The PodGroup of a gang from Kubernetes 1.37 on, where kube-scheduler refuses members that have
 * not its priority.
 */
final class GroupPriorityTest {

  private static final String GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups";
  private static final String ONE = GROUPS + "/" + NativeGroup.nameOf(TRAIN);
  private static final String CREATE = "POST " + GROUPS;
  private static final String READ = "GET " + ONE;
  private static final String DELETE = "DELETE " + ONE;
  private static final PodKey MEMBER = new PodKey("ml", "a", "uid-a");

  private final WritesFixture fixture = new WritesFixture();

  @BeforeEach
  void serve() {
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 2, Optional.empty()));
    fixture
        .api
        .on("GET /apis/scheduling.k8s.io/v1", 200, "{\"resources\":[{\"name\":\"other\"}]}")
        .on(
            "GET /apis/scheduling.k8s.io/v1beta1",
            200,
            "{\"resources\":[{\"name\":\"podgroups\"}]}")
        .on("GET /api/v1/namespaces/ml/pods/a", 200, "{\"spec\":{\"priorityClassName\":\"high\"}}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Optional<CompanionsEnsured.Obstacle> ensured(Optional<Integer> priority) {
    fixture.run(
        new Effect.EnsureCompanions(
            record(Phase.PLANNED, 1),
            false,
            Optional.of(new Effect.Group(3, Optional.of(MEMBER), false, priority, false))));
    return ((CompanionsEnsured) fixture.answers.getFirst()).obstacle();
  }

  private static String group(int priority) {
    return "{\"metadata\":{\"uid\":\"p\",\"labels\":{\"app.kubernetes.io/managed-by\":\"muster\"}},\"spec\":{\"priority\":%d,\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}}}"
        .formatted(priority);
  }

  @Test
  void itHasThePriorityClassOfItsMembers() {
    fixture.api.on(CREATE, 201, group(1000));
    assertThat(ensured(Optional.of(1000))).isEmpty();
    var body = fixture.api.calls().getLast().body();
    assertThat(body.at("/spec/priorityClassName").asText()).isEqualTo("high");
    assertThat(body.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("g");
  }

  @Test
  void membersOfDifferentPrioritiesAreToldOf() {
    var obstacle = ensured(Optional.empty()).orElseThrow();
    assertThat(obstacle.message()).contains("differ in priority");
    assertThat(obstacle.remedy()).contains("same priorityClassName");
    assertThat(fixture.api.lines()).doesNotContain(CREATE);
  }

  /** It was made for members of another class, who have gone; nobody may change its priority. */
  @Test
  void oneOfAnotherPriorityIsMadeAnew() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, group(0))
        .on(DELETE, 200, group(0))
        .on(READ, 404, refusal(404, "gone"))
        .on(CREATE, 201, group(1000));
    assertThat(ensured(Optional.of(1000))).isEmpty();
    assertThat(fixture.api.lines()).endsWith(CREATE, READ, DELETE, READ, CREATE);
  }

  /** The class has another value since the members were created. */
  @Test
  void aClassWithAnotherValueThanItsMembersIsToldOf() {
    fixture
        .api
        .on(CREATE, 201, group(2000))
        .on(DELETE, 200, group(2000))
        .on(READ, 404, refusal(404, "gone"))
        .on(CREATE, 201, group(2000));
    var obstacle = ensured(Optional.of(1000)).orElseThrow();
    assertThat(obstacle.message()).contains("have priority 1000").contains("has 2000");
    assertThat(obstacle.remedy()).contains("create all members again");
  }
}
