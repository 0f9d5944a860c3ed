package io.muster.webhook.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.muster.extender.core.gang.dialect.DialectKeys;
import io.muster.extender.http.limits.Bodies;
import io.muster.extender.http.limits.Body;
import io.muster.extender.http.limits.FairTurns;
import io.muster.extender.http.limits.NotServedException;
import io.muster.extender.kube.Sentences;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.Entry;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.Shadow;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.AdmissionMeter.Outcome;
import io.muster.webhook.port.ShadowMeter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the API server's AdmissionReview v1 about pods that are being created. It answers from
 * memory and writes nothing. A request that is not a review gets a plain HTTP error. After an
 * internal error the pod of a gang is refused, because it must not start without its gang, and so
 * is any that came by an entry without whose answer none is stored; other pods are admitted. Pods
 * of shadow namespaces are never changed nor refused. Safe for concurrent use.
 */
public final class AdmissionEndpoint {

  /** A body of this length is above what the API server stores, with the wrapping of the review. */
  static final Bodies.Limits LIMITS =
      new Bodies.Limits(
          4 * 1024 * 1024,
          128 * 1024,
          4,
          24L * 1024 * 1024,
          1_000,
          Duration.ofSeconds(3),
          Duration.ofSeconds(10));

  /** What is read of a body takes ten times its length and more. */
  private static final long BYTES_AT_ONCE = 8 * 1024 * 1024;

  /** The API server waits for 5 s. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private static final Logger log = LoggerFactory.getLogger(AdmissionEndpoint.class);

  private final PodReading reading;
  private final PodAdmission admission;
  private final AdmissionMeter meter;
  private final ShadowMeter shadow;
  private final Bodies bodies = new Bodies(LIMITS);
  private final FairTurns turns =
      new FairTurns(Math.max(2, Runtime.getRuntime().availableProcessors()), BYTES_AT_ONCE);

  /**
   * @param clock states when a pod that is not stored yet is made
   */
  public AdmissionEndpoint(
      PodConverter translation,
      PodAdmission.Sources sources,
      InstantSource clock,
      AdmissionMeter meter,
      ShadowMeter shadow) {
    this.reading = new PodReading(translation, clock, sources.namespaces(), sources.groups());
    this.admission = new PodAdmission(sources);
    this.meter = meter;
    this.shadow = shadow;
  }

  /** Adds a {@code POST} for each entry of the registration; calls wait on virtual threads. */
  public void addTo(JavalinConfig java) {
    java.concurrency.useVirtualThreads = true;
    Entry.changingPaths()
        .forEach(path ->
            java.routes.post(path, context -> answer(context, review -> decide(review, path))));
    java.routes.post(Entry.SHADOW_PODS.path(), context -> answer(context, this::imagine));
  }

  private void answer(Context context, Deciding deciding) {
    long begun = System.nanoTime();
    try (var body = bodies.receive(context)) {
      begun = System.nanoTime();
      var reply = reply(body, deciding);
      meter.answered(reply.outcome(), Duration.ofNanos(System.nanoTime() - begun));
      send(context, reply);
    } catch (NotServedException e) {
      meter.answered(Outcome.NOT_SERVED, Duration.ofNanos(System.nanoTime() - begun));
      send(context, refusal(e.status(), e.getMessage(), Outcome.NOT_SERVED));
    }
  }

  /** What is sent, which may take its time: it is the caller's. */
  @SuppressWarnings("ArrayRecordComponent") // made, sent and forgotten
  private record Reply(int status, byte[] json, Outcome outcome) {}

  private Reply reply(Body body, Deciding deciding) throws NotServedException {
    try (var _ = turns.take(body, PATIENCE)) {
      var review = Review.parse(body.bytes());
      var decided = review.isAboutNewPod() ? deciding.about(review) : Admission.UNCHANGED;
      var outcome =
          switch (decided) {
            case Admission.Denied _ -> Outcome.DENIED;
            case Admission.Allowed allowed ->
                allowed.edits().isEmpty() ? Outcome.UNCHANGED : Outcome.CHANGED;
          };
      return new Reply(200, utf8(review.answer(decided)), outcome);
    } catch (JsonProcessingException e) {
      return refusal(400, "the body is no JSON" + place(e), Outcome.MALFORMED);
    } catch (MalformedReviewException | MalformedPodException e) {
      return refusal(400, e.getMessage(), Outcome.MALFORMED);
    }
  }

  private static String place(JsonProcessingException e) {
    return Optional.ofNullable(e.getLocation())
        .map(at -> ": line %d, column %d".formatted(at.getLineNr(), at.getColumnNr()))
        .orElse("");
  }

  private Admission decide(Review review, String path) throws MalformedPodException {
    var pod = reading.sent(review.object(), review.namespace());
    boolean mayPass = Entry.passesUnanswered(path);
    boolean belongsToGang = true;
    try {
      belongsToGang = DialectKeys.areIn(pod.markings());
      return admission.admit(reading.facts(pod, Entry.infersGangs(path)), mayPass);
    } catch (RuntimeException e) {
      logFault(review, e);
      if (mayPass && !belongsToGang) {
        return Admission.UNCHANGED;
      }
      return new Admission.Denied(
          500,
          "Muster could not check this pod%s; try again"
              .formatted(belongsToGang ? " of a gang" : ""));
    }
  }

  /** What would be decided of a pod whose namespace only observes. */
  private Admission imagine(Review review) throws MalformedPodException {
    var pod = reading.sent(review.object(), review.namespace());
    try {
      var decision = admission.admit(reading.facts(pod));
      if (decision instanceof Admission.Denied && !review.isDryRun()) {
        shadow.wouldRefuse(review.namespace());
      }
      return Shadow.of(decision);
    } catch (RuntimeException e) {
      logFault(review, e);
      return Admission.UNCHANGED;
    }
  }

  /** Callers may be anybody, and write what they like. */
  private static void logFault(Review review, RuntimeException fault) {
    log.error(
        "pod not checked uid={} namespace={}",
        Sentences.logged(review.uid()),
        Sentences.logged(review.namespace()),
        fault);
  }

  private interface Deciding {
    Admission about(Review review) throws MalformedPodException;
  }

  private static Reply refusal(int status, String sentence, Outcome outcome) {
    return new Reply(
        status, utf8(JsonNodeFactory.instance.objectNode().put("error", sentence)), outcome);
  }

  private static byte[] utf8(JsonNode json) {
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void send(Context context, Reply reply) {
    context.status(reply.status()).contentType("application/json");
    try {
      context.outputStream().write(reply.json());
    } catch (IOException e) {
      // Its caller is gone or does not read; the server ends what is left of it.
      log.debug("an answer was not read", e);
    }
  }
}
