package io.muster.deploy.board.whatif;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What somebody asks: pods, by a form or a manifest, and how many more nodes there would be.
 * Immutable.
 *
 * @param manifests of the pods; a form is one too by now
 * @param namespace of objects that name none
 * @param field of the request that the manifests come from
 */
record Request(String manifests, String namespace, String field, Optional<More> more) {

  /** Most nodes that may be added. */
  static final int MOST_NODES = 1_000;

  private static final String MANIFEST = "manifest";
  private static final String NAMESPACE = "namespace";
  private static final String MORE = "moreNodes";
  private static final Set<String> OF_MORE = Set.of("count", "like");
  private static final String DEFAULT_NAMESPACE = "default";

  private static final ObjectReader READER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);

  /**
   * More nodes than there are.
   *
   * @param count 1 to {@value #MOST_NODES}
   * @param like the name of a node, or its number on the page
   */
  record More(int count, String like) {}

  /**
   * Reads a request.
   *
   * @param own the namespace of whoever sees no more than one
   */
  static Request read(byte[] json, Optional<String> own) throws InvalidRequestException {
    var fields = new Fields(document(json), "");
    var namespace = Form.namespace(fields).or(() -> own).orElse(DEFAULT_NAMESPACE);
    var more = fields.object(MORE);
    var manifest = fields.text(MANIFEST, Integer.MAX_VALUE);
    if (manifest.isEmpty()) {
      fields.allowOnly(union(Form.FIELDS, MORE));
      return new Request(Form.manifest(fields, namespace), namespace, "members", more(more));
    }
    fields.allowOnly(Set.of(MANIFEST, NAMESPACE, MORE), "leave it out, or the manifest");
    return new Request(manifest.get(), namespace, MANIFEST, more(more));
  }

  private static Set<String> union(Set<String> names, String more) {
    var all = new TreeSet<>(names);
    all.add(more);
    return all;
  }

  private static JsonNode document(byte[] json) throws InvalidRequestException {
    try {
      JsonNode document = READER.readValue(json);
      if (document == null || !document.isObject()) {
        throw new InvalidRequestException("", "the request has to be a JSON object");
      }
      return document;
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException("", "the request is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new InvalidRequestException("", "the request cannot be read: " + e.getMessage());
    }
  }

  private static Optional<More> more(Optional<Fields> stated) throws InvalidRequestException {
    if (stated.isEmpty()) {
      return Optional.empty();
    }
    var fields = stated.get();
    fields.allowOnly(OF_MORE);
    int count = (int) fields.number("count", 0, MOST_NODES).orElse(0L).longValue();
    if (count == 0) {
      return Optional.empty();
    }
    var like = fields.textOrNumber("like");
    if (like.isEmpty()) {
      throw new InvalidRequestException("moreNodes.like", "say which node the new ones are like");
    }
    return Optional.of(new More(count, like.get()));
  }
}
