package io.muster.deploy.serve.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.deploy.serve.upkeep.InstallationOwner.Standing;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a process believes that its installation has been deleted. */
@EnableKubernetesMockClient(https = false)
@Timeout(30)
final class InstallationOwnerTest {

  private static final String PATH = "/apis/rbac.authorization.k8s.io/v1/clusterroles/muster";
  private static final String RIGHTS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  private static final Duration LATER = Duration.ofSeconds(2);

  private KubernetesMockServer server;
  private KubernetesClient client;
  private KubernetesClient reader;
  private volatile Instant now = Instant.EPOCH;
  private InstallationOwner owner;

  @BeforeEach
  void open() {
    // Each reading is one request here; the client would ask again after a 500.
    reader =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(client.getConfiguration())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    owner = new InstallationOwner(reader, "muster", () -> now);
  }

  @AfterEach
  void close() {
    reader.close();
  }

  private void answersOnce(int code) {
    var role =
        new ClusterRoleBuilder()
            .withNewMetadata()
            .withName("muster")
            .withUid("u")
            .endMetadata()
            .build();
    server.expect().get().withPath(PATH).andReturn(code, code == 200 ? role : "").once();
  }

  /** What everybody may do: ask for rights. */
  private void answersAboutRights(int code) {
    var body = code == 201 ? new SelfSubjectAccessReview() : "";
    server.expect().post().withPath(RIGHTS).andReturn(code, body).always();
  }

  private Standing later() {
    now = now.plus(LATER);
    return owner.standing();
  }

  @Test
  void oneThatNeverWasIsNotMissed() {
    answersOnce(404);

    assertThat(owner.standing()).isInstanceOf(Standing.Absent.class);
    assertThat(owner.mayMakeAnew()).isTrue();
  }

  /** The right to read it goes with it. */
  @Test
  void oneThatMayNotBeReadTwiceInARowIsGone() {
    answersAboutRights(201);
    answersOnce(200);
    answersOnce(403);
    answersOnce(403);

    assertThat(owner.standing())
        .isInstanceOfSatisfying(
            Standing.Present.class, there -> assertThat(there.reference().getUid()).isEqualTo("u"));
    assertThat(later()).isInstanceOf(Standing.Missed.class);
    assertThat(later()).isInstanceOf(Standing.Gone.class);
  }

  /** An API server that has just started knows no rights yet, on a busy machine for long. */
  @Test
  void anApiServerThatRefusesEverythingIsNoSign() {
    answersAboutRights(403);
    answersOnce(200);
    answersOnce(403);
    answersOnce(403);
    answersOnce(403);

    assertThat(owner.standing()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Present.class);
  }

  /** It got to know them just after it was asked. */
  @Test
  void oneThatIsBackAtTheNextReadingIsThere() {
    answersAboutRights(201);
    answersOnce(200);
    answersOnce(403);
    answersOnce(200);
    answersOnce(403);

    assertThat(owner.standing()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Missed.class);
    assertThat(later()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Missed.class);
  }

  @Test
  void nothingIsMadeAnewThatMayHaveBeenTakenAway() {
    answersOnce(200);
    answersOnce(404);

    assertThat(owner.standing()).isInstanceOf(Standing.Present.class);
    assertThat(owner.mayMakeAnew()).isFalse();
  }

  /** As slow as it likes: what is to be made fails by itself, and is told as such. */
  @Test
  void anApiServerThatDoesNotAnswerIsNoSign() {
    answersOnce(200);
    answersOnce(500);
    answersOnce(500);

    assertThat(owner.standing()).isInstanceOf(Standing.Present.class);
    assertThat(later()).isInstanceOf(Standing.Present.class);
    assertThat(owner.mayMakeAnew()).isTrue();
  }
}
