package io.muster.deploy.board.access;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the API server by TokenReview and SubjectAccessReview, each once. Safe for concurrent use.
 */
public final class KubernetesReviews implements Reviews {

  private static final Logger LOG = LoggerFactory.getLogger(KubernetesReviews.class);
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(3);
  private static final Duration SAID_AGAIN_AFTER = Duration.ofMinutes(1);

  private final KubernetesClient client;
  private final List<String> audiences;
  private final InstantSource clock;
  private Instant sayFrom = Instant.MIN;

  /**
   * @param audiences whom tokens may be for, beside the API server itself
   */
  public KubernetesReviews(KubernetesClient client, List<String> audiences, InstantSource clock) {
    // The client would repeat a failed request by itself for many seconds.
    var once =
        new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(Math.toIntExact(ANSWERED_WITHIN.toMillis()))
            .build();
    this.client = client.newClient(once).adapt(KubernetesClient.class);
    this.audiences = List.copyOf(audiences);
    this.clock = clock;
  }

  /**
   * A token that says it is for one of the audiences is reviewed for them. Any other, and one that
   * is refused so, is reviewed as one for the API server: authenticators that know no audiences,
   * such as OpenID Connect and token files, refuse every other audience.
   */
  @Override
  public Answer authenticate(Token token) {
    if (token.audiences().stream().anyMatch(audiences::contains)) {
      var answer = review(token, audiences);
      if (!(answer instanceof Answer.Unknown)) {
        return answer;
      }
    }
    return review(token, List.of());
  }

  private Answer review(Token token, List<String> wanted) {
    var review =
        new TokenReviewBuilder()
            .withNewSpec()
            .withToken(token.value())
            .withAudiences(wanted)
            .endSpec()
            .build();
    return ask("tokens", () -> client.tokenReviews().create(review))
        .map(reviewed -> answer(reviewed, wanted))
        .orElseGet(Answer.Unanswered::new);
  }

  private static Answer answer(TokenReview review, List<String> wanted) {
    var status = Optional.ofNullable(review.getStatus()).orElseGet(TokenReviewStatus::new);
    var user = status.getUser();
    if (!Boolean.TRUE.equals(status.getAuthenticated())
        || user == null
        || textOf(user.getUsername()).isBlank()
        || !isForUs(listOf(status.getAudiences()), wanted)) {
      return new Answer.Unknown();
    }
    return new Answer.Known(
        new Identity(
            user.getUsername(),
            textOf(user.getUid()),
            new HashSet<>(listOf(user.getGroups())),
            Optional.ofNullable(user.getExtra()).orElse(Map.of())));
  }

  /** Without audiences in it, an answer is about the API server's own. */
  private static boolean isForUs(Collection<String> answered, List<String> wanted) {
    return wanted.isEmpty() || answered.isEmpty() || answered.stream().anyMatch(wanted::contains);
  }

  private static String textOf(String text) {
    return Optional.ofNullable(text).orElse("");
  }

  private static List<String> listOf(List<String> list) {
    return Optional.ofNullable(list).orElse(List.of());
  }

  @Override
  public Verdict may(Identity who, Question what) {
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(who.user())
            .withUid(who.uid())
            .withGroups(List.copyOf(who.groups()))
            .withExtra(who.extra())
            .withNewResourceAttributes()
            .withVerb(what.verb())
            .withGroup(what.group())
            .withResource(what.resource())
            .withName(what.name().orElse(""))
            .withNamespace(what.namespace().orElse(""))
            .endResourceAttributes()
            .endSpec()
            .build();
    return ask("rights", () -> client.authorization().v1().subjectAccessReview().create(review))
        .map(KubernetesReviews::verdict)
        .orElse(Verdict.UNANSWERED);
  }

  /**
   * Where an authorizer has failed and none has said yes, kubectl is refused as well, so this is
   * no.
   */
  private static Verdict verdict(SubjectAccessReview review) {
    return Optional.ofNullable(review.getStatus())
        .map(status -> Boolean.TRUE.equals(status.getAllowed()) ? Verdict.YES : Verdict.NO)
        .orElse(Verdict.UNANSWERED);
  }

  private <T> Optional<T> ask(String what, Supplier<T> question) {
    try {
      return Optional.ofNullable(question.get());
    } catch (KubernetesClientException e) {
      if (isToBeSaid()) {
        LOG.atWarn()
            .addKeyValue("about", what)
            .addKeyValue("code", e.getCode())
            .addKeyValue("reason", innermost(e))
            .log("the API server has not answered a review");
      }
      return Optional.empty();
    }
  }

  private static String innermost(Throwable fault) {
    var cause = fault;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return textOf(cause.getMessage());
  }

  private synchronized boolean isToBeSaid() {
    var now = clock.instant();
    boolean isDue = !now.isBefore(sayFrom);
    if (isDue) {
      sayFrom = now.plus(SAID_AGAIN_AFTER);
    }
    return isDue;
  }
}
