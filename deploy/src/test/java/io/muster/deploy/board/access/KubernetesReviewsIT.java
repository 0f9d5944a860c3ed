package io.muster.deploy.board.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.deploy.board.access.Reviews.Answer;
import io.muster.deploy.board.access.Reviews.Verdict;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a real API server says of tokens and rights, asked with the rights of the board alone. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class KubernetesReviewsIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String AUDIENCE = "muster-board";

  /** The reviews as the board's own account asks for them. */
  private record Asking(KubernetesClient client, Reviews reviews) implements AutoCloseable {

    static Asking from(Sandbox sandbox, TestSpace space) {
      var namespace = space.namespace();
      sandbox.kubectl("-n", namespace, "create", "serviceaccount", "board");
      sandbox.kubectl(
          "create",
          "clusterrole",
          "board-" + namespace,
          "--verb=create",
          "--resource=tokenreviews.authentication.k8s.io,subjectaccessreviews.authorization.k8s.io");
      sandbox.kubectl(
          "create",
          "clusterrolebinding",
          "board-" + namespace,
          "--clusterrole=board-" + namespace,
          "--serviceaccount=" + namespace + ":board");
      var kubeconfig = sandbox.kubeconfig(sandbox.server(), token(sandbox, space, "board").value());
      var client =
          new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeconfig)).build();
      var reviews = new KubernetesReviews(client, List.of(AUDIENCE), InstantSource.system());
      var own = token(sandbox, space, "board");
      // An API server knows of new rights a moment after it has stored them.
      Await.until(
          "the board to have its rights",
          SOON,
          () -> !(reviews.authenticate(own) instanceof Answer.Unanswered));
      return new Asking(client, reviews);
    }

    Identity known(Token token) {
      return ((Answer.Known) reviews.authenticate(token)).identity();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static Token token(Sandbox sandbox, TestSpace space, String account, String... more) {
    var command = new ArrayList<String>();
    command.addAll(List.of("-n", space.namespace(), "create", "token", account));
    command.addAll(List.of(more));
    return Token.read(sandbox.kubectl(command.toArray(String[]::new))).orElseThrow();
  }

  private static void account(Sandbox sandbox, TestSpace space, String name) {
    sandbox.kubectl("-n", space.namespace(), "create", "serviceaccount", name);
  }

  /** Lets the account list gangs and pods there; kubectl would need the kind to be installed. */
  private static void mayLook(Sandbox sandbox, TestSpace space) {
    var role =
        new RoleBuilder()
            .withNewMetadata()
            .withName("looks")
            .endMetadata()
            .addNewRule()
            .withApiGroups("", "muster.io")
            .withResources("pods", "gangs")
            .withVerbs("list")
            .endRule()
            .build();
    space.client().rbac().roles().inNamespace(space.namespace()).resource(role).create();
    sandbox.kubectl(
        "-n",
        space.namespace(),
        "create",
        "rolebinding",
        "looks",
        "--role=looks",
        "--serviceaccount=" + space.namespace() + ":looks");
  }

  @Test
  void aServiceAccountIsKnownByTokensForTheBoardAndForTheApiServerAndByNoOthers(
      Sandbox sandbox, TestSpace space) {
    account(sandbox, space, "looks");
    try (var asking = Asking.from(sandbox, space)) {
      var plain = token(sandbox, space, "looks");
      var user = "system:serviceaccount:%s:looks".formatted(space.namespace());
      var identity = asking.known(plain);
      assertThat(identity.user()).isEqualTo(user);
      assertThat(identity.uid()).isNotBlank();
      assertThat(identity.groups())
          .contains("system:serviceaccounts:" + space.namespace(), "system:authenticated");
      assertThat(identity.home()).contains(space.namespace());
      assertThat(plain.expiry().orElseThrow()).isAfter(Instant.now().plusSeconds(600));

      var ours = token(sandbox, space, "looks", "--audience=" + AUDIENCE);
      assertThat(ours.audiences()).containsExactly(AUDIENCE);
      assertThat(asking.known(ours).isSameUser(identity)).isTrue();
      assertThat(asking.reviews().authenticate(token(sandbox, space, "looks", "--audience=other")))
          .isEqualTo(new Answer.Unknown());
    }
  }

  @Test
  void aTokenOfTheTokenFileIsKnownAndRubbishIsNot(Sandbox sandbox, TestSpace space) {
    try (var asking = Asking.from(sandbox, space)) {
      var admin = sandbox.client().getConfiguration().getAutoOAuthToken();
      var identity = asking.known(Token.read(admin).orElseThrow());
      assertThat(identity.user()).isEqualTo("sandbox-admin");
      assertThat(identity.groups()).contains("system:masters");

      var real = token(sandbox, space, "board").value();
      for (var rubbish :
          List.of(
              "rubbish",
              "a.b.c",
              TokenTest.jwt("{\"aud\":\"muster-board\",\"exp\":4000000000}"),
              real.substring(0, real.length() - 8) + "AAAAAAAA",
              "x".repeat(Token.LONGEST))) {
        assertThat(asking.reviews().authenticate(Token.read(rubbish).orElseThrow()))
            .as(rubbish)
            .isEqualTo(new Answer.Unknown());
      }
    }
  }

  @Test
  void theTokenOfADeletedServiceAccountIsUnknownSoon(Sandbox sandbox, TestSpace space) {
    account(sandbox, space, "leaves");
    try (var asking = Asking.from(sandbox, space)) {
      var token = token(sandbox, space, "leaves", "--audience=" + AUDIENCE);
      asking.known(token);
      sandbox.kubectl("-n", space.namespace(), "delete", "serviceaccount", "leaves");
      Await.until(
          "the API server to forget the token",
          SOON,
          () -> asking.reviews().authenticate(token).equals(new Answer.Unknown()));
      account(sandbox, space, "leaves");
      assertThat(asking.reviews().authenticate(token)).isEqualTo(new Answer.Unknown());
    }
  }

  @Test
  void aRoleInOneNamespaceIsARightThereAndNowhereElse(Sandbox sandbox, TestSpace space) {
    account(sandbox, space, "looks");
    var namespace = space.namespace();
    try (var asking = Asking.from(sandbox, space)) {
      var looks = asking.known(token(sandbox, space, "looks"));
      var reviews = asking.reviews();
      assertThat(reviews.may(looks, Question.gangsOf(namespace))).isEqualTo(Verdict.NO);
      mayLook(sandbox, space);
      Await.until(
          "the right to hold",
          SOON,
          () -> reviews.may(looks, Question.gangsOf(namespace)) == Verdict.YES);
      assertThat(reviews.may(looks, Question.podsOf(namespace))).isEqualTo(Verdict.YES);
      for (var refused :
          List.of(
              Question.ALL_GANGS,
              Question.ALL_PODS,
              Question.NODES,
              Question.queues("muster-system"),
              Question.queues(namespace),
              Question.gangsOf("default"),
              Question.podsOf("default"))) {
        assertThat(reviews.may(looks, refused)).as(refused.toString()).isEqualTo(Verdict.NO);
      }
      var admin =
          asking.known(
              Token.read(sandbox.client().getConfiguration().getAutoOAuthToken()).orElseThrow());
      for (var granted :
          List.of(
              Question.ALL_GANGS,
              Question.ALL_PODS,
              Question.NODES,
              Question.queues("muster-system"))) {
        assertThat(reviews.may(admin, granted)).isEqualTo(Verdict.YES);
      }
    }
  }

  @Test
  void whoSignsInSeesTheirNamespaceUntilTheRightIsTakenAway(Sandbox sandbox, TestSpace space) {
    account(sandbox, space, "looks");
    var namespace = space.namespace();
    mayLook(sandbox, space);
    try (var asking = Asking.from(sandbox, space);
        var signIn =
            SignIn.start(
                asking.reviews(),
                AccessSettings.usual("muster-system"),
                () -> Set.of("default", namespace),
                InstantSource.system())) {
      var token = token(sandbox, space, "looks", "--audience=" + AUDIENCE);
      var in = (SignIn.In) signIn.signIn(token.value(), "127.0.0.1");
      assertThat(in.until()).isBeforeOrEqualTo(token.expiry().orElseThrow());
      var viewer = signIn.ofCookie(in.cookie()).orElseThrow();
      var mine = new Access(false, Set.of(namespace), false, false);
      Await.until("their rights to be known", SOON, () -> signIn.access(viewer).equals(mine));
      sandbox.kubectl("-n", namespace, "delete", "rolebinding", "looks");
      Await.until(
          "them to see nothing any more",
          Duration.ofSeconds(62),
          () -> signIn.access(viewer).equals(Access.NOTHING));
    }
  }

  @Test
  void anAccountWithoutRightsToReviewGetsNoAnswers(Sandbox sandbox, TestSpace space) {
    account(sandbox, space, "nobody");
    var kubeconfig = sandbox.kubeconfig(sandbox.server(), token(sandbox, space, "nobody").value());
    try (var client =
        new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeconfig)).build()) {
      var reviews = new KubernetesReviews(client, List.of(AUDIENCE), InstantSource.system());
      assertThat(reviews.authenticate(token(sandbox, space, "nobody")))
          .isInstanceOf(Answer.Unanswered.class);
      assertThat(reviews.may(FakeReviews.person("ann"), Question.NODES))
          .isEqualTo(Verdict.UNANSWERED);
    }
  }
}
