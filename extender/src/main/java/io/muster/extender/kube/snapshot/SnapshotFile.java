package io.muster.extender.kube.snapshot;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Pod.Grouping;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.queue.Waiting;
import io.muster.extender.kube.Sentences;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A {@link ClusterView} as JSON: its fields by their names, in one order, one object a line, so
 * that two files can be compared. Nothing else of a pod is in it than what decisions read. The
 * version grows whenever an earlier program could not read the file. Stateless.
 */
public final class SnapshotFile {

  /** Of the files that are written. */
  public static final int VERSION = 10;

  /**
   * The first that is read. Those of version 3 say nothing of ResourceQuotas, and those up to 4 not
   * how long preempted pods have to end, those up to 5 nothing of run-time limits, those up to 6
   * not which devices are not counted, those up to 7 nothing of NVLink domains, levels and
   * segments, those up to 8 not which tolerations end, those up to 9 not which gangs have members
   * that are to end.
   */
  private static final int EARLIEST = 3;

  private static final String QUOTAS = "namespaceQuotas";
  private static final String UNCOUNTED = "uncounted";
  private static final String BY_CLAIM = "byClaim";
  private static final String NVLINK = "nvlink";
  private static final String GROUPING = "grouping";

  /** What files up to version 7 have in its place. */
  private static final String NATIVE_GANG = "nativeGang";

  private static final String LEVELS = "levels";
  private static final String SEGMENTS = "segments";
  private static final String GRACE = "preemptionGrace";
  private static final String VERSION_FIELD = "version";
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .addModule(new CoreTypes())
          .addMixIn(Terms.class, TermsMixIn.class)
          .withConfigOverride(
              Optional.class,
              override ->
                  override.setInclude(
                      JsonInclude.Value.construct(
                          JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS)))
          .build();

  private SnapshotFile() {}

  /** A file that is no snapshot; the message says why. */
  public static final class UnreadableException extends Exception {

    UnreadableException(String message) {
      super(message);
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "are")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Terms.Usable.class, name = "usable"),
    @JsonSubTypes.Type(value = Terms.InObject.class, name = "in-object"),
    @JsonSubTypes.Type(value = Terms.Unusable.class, name = "unusable"),
    @JsonSubTypes.Type(value = Terms.Unplaceable.class, name = "unplaceable")
  })
  private interface TermsMixIn {}

  /** Writes all of it, and leaves the stream open. */
  public static void write(ClusterView view, OutputStream out) throws IOException {
    var text = new StringBuilder("{\"" + VERSION_FIELD + "\": " + VERSION);
    JsonNode fields = JSON.valueToTree(view);
    for (var field : fields.properties()) {
      text.append(",\n\"").append(field.getKey()).append("\": ");
      if (field.getValue().isArray()) {
        var separator = "[\n";
        for (var element : field.getValue()) {
          text.append(separator).append(JSON.writeValueAsString(element));
          separator = ",\n";
        }
        text.append(field.getValue().isEmpty() ? "[]" : "\n]");
      } else {
        text.append(JSON.writeValueAsString(field.getValue()));
      }
    }
    out.write(text.append("}\n").toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws UnreadableException if it is of another version, or no snapshot
   */
  public static ClusterView read(InputStream in) throws IOException, UnreadableException {
    try {
      var tree = JSON.readTree(in);
      var version = tree.path(VERSION_FIELD);
      if (!version.isInt()) {
        throw new UnreadableException("is no snapshot of muster: it states no version");
      }
      if (version.asInt() < EARLIEST || version.asInt() > VERSION) {
        throw new UnreadableException(
            "is a snapshot of version %d, and this program reads %d to %d: take it again with this one"
                .formatted(version.asInt(), EARLIEST, VERSION));
      }
      addWhatEarlierOnesLack((ObjectNode) tree);
      ((ObjectNode) tree).remove(VERSION_FIELD);
      return JSON.treeToValue(tree, ClusterView.class);
    } catch (ValueInstantiationException e) {
      // Fields have been looked at by then.
      boolean isNull = e.getCause() instanceof NullPointerException;
      var why = isNull ? "null in a list" : e.getCause().getMessage();
      throw new UnreadableException("says what cannot be: " + why);
    } catch (JsonMappingException e) {
      throw new UnreadableException(
          "is no snapshot of muster, or was changed: %s is missing or wrong"
              .formatted(Sentences.pathOf(e)));
    } catch (JsonProcessingException e) {
      throw new UnreadableException("is no snapshot of muster: " + e.getOriginalMessage());
    }
  }

  private static void addWhatEarlierOnesLack(ObjectNode tree) {
    if (!tree.has(QUOTAS)) {
      tree.putArray(QUOTAS);
    }
    if (!tree.has(LEVELS)) {
      tree.set(LEVELS, JSON.valueToTree(Levels.FOUND));
    }
    for (var topology : tree.findValues("topology")) {
      if (topology instanceof ObjectNode fields && !fields.has(SEGMENTS)) {
        fields.putArray(SEGMENTS);
      }
    }
    for (var node : tree.path("nodes")) {
      if (node instanceof ObjectNode fields && !fields.has(UNCOUNTED)) {
        fields.putObject(UNCOUNTED);
        fields.putArray(BY_CLAIM);
      }
    }
    for (var pod : tree.path("pods")) {
      if (pod.path("origin") instanceof ObjectNode origin && !origin.has(GROUPING)) {
        var grouping = origin.path(NATIVE_GANG).asBoolean() ? Grouping.OTHER : Grouping.NONE;
        origin.remove(NATIVE_GANG);
        origin.put(GROUPING, grouping.name());
      }
      for (var gang : List.of(pod.path("membership"), pod.path("observed"))) {
        if (gang instanceof ObjectNode fields && !fields.has(NVLINK)) {
          fields.set(NVLINK, JSON.valueToTree(NvlinkDomain.UNSTATED));
        }
      }
    }
    if (tree.at("/rules/waiting") instanceof ObjectNode waiting && !waiting.has(GRACE)) {
      waiting.put(GRACE, Waiting.DEFAULT.preemptionGrace().toString());
    }
  }
}
