package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static io.muster.extender.kube.gang.Gangs.TRAIN;
import static io.muster.extender.kube.gang.Gangs.record;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event.CompanionsEnsured;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.kube.gang.KnownGang;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DomainWritesTest {

  private static final String NAME = NvlinkDomain.nameOf(TRAIN);
  private static final String DOMAINS =
      "/apis/resource.nvidia.com/v1beta1/namespaces/ml/computedomains";
  private static final String CREATE = "POST " + DOMAINS;
  private static final String READ = "GET " + DOMAINS + "/" + NAME;
  private static final String DELETE = "DELETE " + DOMAINS + "/" + NAME;
  private static final String TEMPLATE =
      "GET /apis/resource.k8s.io/v1/namespaces/ml/resourceclaimtemplates/" + NAME;
  private static final String OWN = "{\"kind\":\"Gang\",\"name\":\"train\",\"uid\":\"g\"}";

  private final WritesFixture fixture = new WritesFixture();

  @BeforeEach
  void know() {
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 2, Optional.empty()));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Optional<String> ensured() {
    fixture.run(new Effect.EnsureCompanions(record(Phase.PLANNED, 1), true, Optional.empty()));
    assertThat(fixture.answers).hasSize(1);
    var answer = (CompanionsEnsured) fixture.answers.getFirst();
    assertThat(answer.gang()).isEqualTo(TRAIN);
    assertThat(answer.incarnation()).isEqualTo(2);
    answer.obstacle().ifPresent(it -> assertThat(it.remedy()).isNotEmpty());
    return answer.obstacle().map(CompanionsEnsured.Obstacle::message);
  }

  private static String domain(String owner, String more) {
    return "{\"metadata\":{\"name\":\"%s\",\"uid\":\"d\",%s\"ownerReferences\":[%s]}}"
        .formatted(NAME, more, owner);
  }

  private static String template(String domain) {
    return "{\"spec\":{\"spec\":{\"devices\":{\"config\":[{\"opaque\":{\"parameters\":{\"domainID\":\"%s\"}}}]}}}}"
        .formatted(domain);
  }

  @Test
  void makesTheDomainThatTheGangOwnsAndWaitsForItsTemplate() {
    fixture
        .api
        .on(CREATE, 201, domain(OWN, ""))
        .on(TEMPLATE, 404, refusal(404, "not yet"))
        .on(TEMPLATE, 200, template("d"));
    assertThat(ensured()).isEmpty();
    assertThat(fixture.api.lines()).containsExactly(CREATE, TEMPLATE, TEMPLATE);
    var body = fixture.api.calls().getFirst().body();
    assertThat(body.at("/metadata/name").asText()).isEqualTo(NAME);
    assertThat(body.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("g");
    assertThat(body.at("/metadata/ownerReferences/0/controller").isMissingNode()).isTrue();
    assertThat(body.at("/spec/channel/resourceClaimTemplate/name").asText()).isEqualTo(NAME);
    assertThat(body.at("/spec/numNodes").asInt(-1)).isZero();
  }

  @Test
  void aGangWithoutAnObjectGetsOneFirst() {
    fixture.directory.remove(TRAIN);
    fixture
        .api
        .on(
            "POST /apis/muster.io/v1alpha1/namespaces/ml/gangs",
            201,
            "{\"metadata\":{\"name\":\"train\",\"namespace\":\"ml\",\"uid\":\"g\",\"resourceVersion\":\"1\"},"
                + "\"spec\":{\"dialect\":\"koordinator\",\"gangName\":\"train\"}}")
        .on(CREATE, 201, domain(OWN, ""))
        .on(TEMPLATE, 200, template("d"));
    assertThat(ensured()).isEmpty();
    assertThat(fixture.api.calls().get(1).body().at("/metadata/ownerReferences/0/uid").asText())
        .isEqualTo("g");
  }

  @Test
  void itsOwnIsFoundAgain() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, domain(OWN, ""))
        .on(TEMPLATE, 200, template("d"));
    assertThat(ensured()).isEmpty();
  }

  @Test
  void oneOfSomebodyElseIsNotTaken() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, domain("{\"kind\":\"Job\",\"name\":\"train\",\"uid\":\"j\"}", ""));
    assertThat(ensured())
        .hasValueSatisfying(said -> assertThat(said).contains(NAME + " that is not Muster's"));
    assertThat(fixture.api.lines()).containsExactly(CREATE, READ);
  }

  @Test
  void aTemplateOfSomebodyElseIsNotTaken() {
    fixture.api.on(CREATE, 201, domain(OWN, "")).on(TEMPLATE, 200, template("other"));
    assertThat(ensured())
        .hasValueSatisfying(said -> assertThat(said).contains("not of its ComputeDomain"));
  }

  @Test
  void aTemplateThatNobodyMakesIsSaid() {
    fixture.api.on(CREATE, 201, domain(OWN, ""));
    assertThat(ensured())
        .hasValueSatisfying(
            said -> assertThat(said).contains("has made no ResourceClaimTemplate " + NAME));
  }

  @Test
  void aClusterWithoutComputeDomainsIsSaid() {
    assertThat(ensured())
        .hasValueSatisfying(said -> assertThat(said).contains("no ComputeDomains"));
  }

  @Test
  void oneOfAnEarlierRunThatGoesIsWaitedFor() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(CREATE, 201, domain(OWN, ""))
        .on(READ, 200, domain(OWN, "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","))
        .on(TEMPLATE, 200, template("d"));
    assertThat(ensured()).isEmpty();
  }

  @Test
  void oneOfAnEarlierGangObjectIsLeftToGarbageCollection() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, domain(OWN.replace("\"g\"", "\"before\""), ""));
    assertThat(ensured())
        .hasValueSatisfying(said -> assertThat(said).contains("of an earlier Gang object"));
  }

  @Test
  void nothingIsMadeOnceTheLeaseEnds() {
    fixture.leaseUntil = fixture.now;
    assertThat(ensured())
        .hasValueSatisfying(said -> assertThat(said).contains("the leader lease is running out"));
    assertThat(fixture.api.lines()).doesNotContain(CREATE);
  }

  /** Its gang may have ended while the API server was restarted. */
  @Test
  void oneThatCouldNotBeDroppedIsDroppedLater() {
    for (int i = 0; i < 7; i++) {
      fixture.api.on(READ, 503, refusal(503, "starting"));
    }
    fixture.api.on(READ, 200, domain(OWN, "")).on(DELETE, 503, "{}").on(DELETE, 200, "{}");
    fixture.run(new Effect.DropCompanions(TRAIN));
    assertThat(fixture.api.lines()).endsWith(READ, DELETE, DELETE);
  }

  @Test
  void oneThatIsWantedAgainIsNotDroppedLater() {
    fixture
        .api
        .on(READ, 503, refusal(503, "starting"))
        .on(READ, 503, refusal(503, "starting"))
        .on(READ, 503, refusal(503, "starting"))
        .on(READ, 200, domain(OWN, ""))
        .on(CREATE, 409, refusal(409, "exists"))
        .on(TEMPLATE, 200, template("d"));
    fixture.atOnce = false;
    fixture.run(
        new Effect.DropCompanions(TRAIN),
        new Effect.EnsureCompanions(record(Phase.PLANNED, 1), true, Optional.empty()));
    while (!fixture.waiting.isEmpty()) {
      fixture.waiting.remove().run();
    }
    assertThat(fixture.api.lines()).containsExactly(READ, READ, READ, CREATE, READ, TEMPLATE);
  }

  @Test
  void onlyItsOwnIsDropped() {
    fixture
        .api
        .on(READ, 200, domain(OWN, ""))
        .on(READ, 200, domain(OWN.replace("\"g\"", "\"x\""), ""))
        .on(DELETE, 200, "{}");
    fixture.run(new Effect.DropCompanions(TRAIN));
    assertThat(fixture.api.calls().getLast().body().at("/preconditions/uid").asText())
        .isEqualTo("d");
    fixture.run(new Effect.DropCompanions(TRAIN));
    assertThat(fixture.api.lines()).containsExactly(READ, DELETE, READ);
  }
}
