package io.muster.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes an image as an OCI image layout, a folder that every tool for images reads
 * (https://github.com/opencontainers/image-spec). The same layers and the same configuration give
 * the same bytes wherever and whenever they are written. Not safe for concurrent use.
 */
final class OciLayout {

  private static final String TYPES = "application/vnd.oci.image.";
  private static final String REFERENCE = "org.opencontainers.image.ref.name";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Blobs blobs;

  /** Into an empty or missing folder. */
  OciLayout(Path folder) {
    this.folder = folder;
    this.blobs = new Blobs(folder.resolve("blobs/sha256"));
  }

  /** Writes the image and returns the digest of its manifest, {@code sha256:...}. */
  String write(ImageConfig config, List<Layer> layers) throws IOException {
    var written = new ArrayList<Blobs.Written>();
    for (Layer layer : layers) {
      written.add(blobs.layer(layer, config.created()));
    }
    var configuration = blobs.document(JSON.writeValueAsBytes(document(config, layers, written)));
    var manifest = JSON.createObjectNode();
    manifest.put("schemaVersion", 2).put("mediaType", TYPES + "manifest.v1+json");
    manifest.set("config", descriptor("config.v1+json", configuration));
    var described = manifest.putArray("layers");
    written.forEach(layer -> described.add(descriptor("layer.v1.tar+gzip", layer)));
    manifest.set("annotations", texts(config.labels()));
    var image = blobs.document(JSON.writeValueAsBytes(manifest));
    writeIndex(config, image);
    return image.digest();
  }

  private void writeIndex(ImageConfig config, Blobs.Written image) throws IOException {
    var described = descriptor("manifest.v1+json", image);
    described.set("platform", platform(JSON.createObjectNode(), config));
    described.set("annotations", texts(Map.of(REFERENCE, config.reference())));
    var index = JSON.createObjectNode();
    index.put("schemaVersion", 2).put("mediaType", TYPES + "index.v1+json");
    index.putArray("manifests").add(described);
    Files.write(folder.resolve("index.json"), JSON.writeValueAsBytes(index));
    Files.writeString(folder.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
  }

  private static JsonNode document(
      ImageConfig config, List<Layer> layers, List<Blobs.Written> written) {
    var document = JSON.createObjectNode();
    document.put("created", config.created().toString());
    platform(document, config);
    var running = document.putObject("config");
    running.put("User", config.user());
    var environment = running.putArray("Env");
    config.environment().forEach((name, value) -> environment.add(name + "=" + value));
    var entryPoint = running.putArray("Entrypoint");
    config.entryPoint().forEach(entryPoint::add);
    running.put("WorkingDir", config.workingDirectory());
    running.set("Labels", texts(config.labels()));
    var root = document.putObject("rootfs").put("type", "layers");
    var tars = root.putArray("diff_ids");
    written.forEach(layer -> tars.add(layer.tarDigest()));
    var history = document.putArray("history");
    for (Layer layer : layers) {
      history
          .addObject()
          .put("created", config.created().toString())
          .put("created_by", "deploy/image/build: " + layer.name());
    }
    return document;
  }

  private static ObjectNode descriptor(String type, Blobs.Written blob) {
    return JSON.createObjectNode()
        .put("mediaType", TYPES + type)
        .put("digest", blob.digest())
        .put("size", blob.size());
  }

  private static ObjectNode platform(ObjectNode into, ImageConfig config) {
    return into.put("architecture", config.architecture()).put("os", "linux");
  }

  private static ObjectNode texts(Map<String, String> texts) {
    var node = JSON.createObjectNode();
    texts.forEach(node::put);
    return node;
  }
}
