package io.muster.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.KnownGang;
import io.muster.extender.kube.watch.BudgetFeed;
import io.muster.extender.kube.watch.LeanObjects;
import io.muster.extender.kube.watch.NamespaceQuotaFeed;
import io.muster.extender.kube.watch.ReadTerms;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Objects as watches show them, to the decisions themselves. */
final class WatchedObjects {

  private static final ObjectMapper JSON = lean();

  /** After so many a new Muster begins: the objects of earlier inputs are forgotten. */
  private static final int INPUTS_OF_ONE = 64;

  private static final List<String> NODES = List.of("n1", "n2");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<JsonNode> pods = Corpus.pods();
  private final List<JsonNode> cluster = Corpus.cluster();
  private final List<JsonNode> terms = Corpus.terms();
  private final StoredForm gangs = StoredForm.of(Corpus.crd("muster.io/v1alpha1", "Gang"));
  private final PodConverter translation = new PodConverter(new DialectDetector());
  private GangScheduler muster = begun(List.of());
  private Instant now = START;
  private int inputs;

  private static ObjectMapper lean() {
    var mapper = new ObjectMapper();
    var _ = new KubernetesSerialization(mapper, false);
    LeanObjects.addTo(mapper);
    return mapper;
  }

  private GangScheduler begun(List<Event> found) {
    var begun = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO));
    now = START;
    for (var name : NODES) {
      var node = JSON.convertValue(cluster.getFirst(), Node.class);
      node.getMetadata().setName(name);
      checked(begun.on(new Event.NodeSeen(translation.node(node)), now));
    }
    found.forEach(event -> checked(begun.on(event, now)));
    checked(begun.on(new Event.LeaseHeld(Instant.MAX, false), now));
    checked(begun.on(new Event.Ready(), now));
    return begun;
  }

  void check(long seed) {
    inputs++;
    if (inputs % INPUTS_OF_ONE == 0) {
      muster = begun(List.of());
    }
    var mutator = new Mutator(seed);
    var good = mutator.oneOf(mutator.oneOf(List.of(pods, pods, cluster, terms)));
    var broken = Nulls.dropped(mutator.broken(good));
    if (!isStored(broken)) {
      return;
    }
    try {
      see(good, broken, mutator);
      tell(new Event.Tick());
    } catch (JsonProcessingException e) {
      // An API server sends no such object; if it did, the log would say where it is wrong.
      var path =
          e instanceof JsonMappingException mapping
              ? mapping.getPath().stream()
                  .map(JsonMappingException.Reference::getFieldName)
                  .toList()
              : List.<String>of();
      assertThat(path).as("%s of %s", e.getOriginalMessage(), broken).isNotEmpty();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("%s: %s".formatted(mutator.touched(), broken), e);
    }
  }

  /** Whatever else is wrong, an object has its name, and a uid by the API server. */
  private static boolean isStored(JsonNode object) {
    return object.at("/metadata/name").isTextual()
        && !object.at("/metadata/name").asText().isEmpty();
  }

  private void see(JsonNode good, JsonNode broken, Mutator mutator) throws JsonProcessingException {
    switch (good.path("kind").asText()) {
      case "Pod" -> see(JSON.treeToValue(broken, Pod.class), mutator);
      case "Node" ->
          tell(new Event.NodeSeen(translation.node(JSON.treeToValue(broken, Node.class))));
      case "PodDisruptionBudget" ->
          BudgetFeed.read(JSON.treeToValue(broken, PodDisruptionBudget.class))
              .ifPresent(budget -> tell(new Event.BudgetSeen(budget)));
      case "ResourceQuota" ->
          NamespaceQuotaFeed.read(JSON.treeToValue(broken, ResourceQuota.class))
              .ifPresent(quota -> tell(new Event.NamespaceQuotaSeen(quota)));
      case "Gang" -> {
        if (gangs.refusal(broken, good).isEmpty()) {
          found(JSON.readValue(broken.toString(), Gang.class));
        }
      }
      default -> ReadTerms.of(broken).forEach(this::tell);
    }
  }

  private void see(Pod pod, Mutator mutator) {
    var metadata = pod.getMetadata();
    if (pod.getSpec() == null || metadata.getUid() == null || metadata.getNamespace() == null) {
      return;
    }
    if (mutator.chance(30)) {
      pod.getSpec().setNodeName("n1");
    }
    var read = translation.pod(pod);
    tell(new Event.PodSeen(read));
    checked(muster.filter(read, NODES, now).effects());
    if (mutator.chance(30)) {
      tell(
          new Event.PodGone(
              new PodKey(read.key().namespace(), read.key().name(), read.key().uid())));
    }
  }

  /** What a former life of Muster has left, or somebody else has written into its place. */
  private void found(Gang gang) {
    KnownGang.of(gang);
    GangObjects.idOf(gang);
    var events = new ArrayList<Event>();
    GangObjects.recordOf(gang)
        .ifPresent(record -> events.add(new Event.RecordFound(record, since(gang))));
    muster = begun(events);
  }

  private static Optional<Instant> since(Gang gang) {
    return GangObjects.sinceOf(gang);
  }

  private void tell(Event event) {
    now = now.plusSeconds(7);
    checked(muster.on(event, now));
  }

  private static void checked(List<Effect> effects) {
    for (var effect : effects) {
      if (effect instanceof Effect.Fault fault) {
        throw new AssertionError("a fault of " + fault, fault.cause());
      }
    }
  }
}
