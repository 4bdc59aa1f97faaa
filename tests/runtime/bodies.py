"""What programs on devices say of themselves, as tests send it."""

LAPTOP = {
    "runtime": "codex",
    "bridgeVersion": "1.2.3",
    "adapterVersion": "0.4",
    "capabilities": ["listSessions", "bridge-instance:bridge_0123456789abcdef"],
    "deviceId": "laptop",
}
SESSION = {
    "label": "hearth",
    "state": "idle",
    "deliveryMode": "managed_stream",
    "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
    "allowInbound": True,
    "allowMidTurnSteer": False,
}
