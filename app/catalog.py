"""The feature modules whose operations make up the service."""

from app.account import (
    contact_pairs,
    keys,
    oauth_grants,
    oauth_tokens,
    sessions,
    team,
    users,
    write_gathered,
)
from app.account.metering import caps, invoices, token_reservations, usage
from app.account.oauth import clients, codes
from app.account.profile import identity
from app.agent.briefing import briefing, eisenhower_matrix, strategies
from app.agent.calendar import calendar_search
from app.agent.chat import chat, conversations, page_conversations
from app.agent.heartbeat import clock, execute_proposal, heartbeat, undo
from app.agent.heartbeat.records import instructions
from app.agent.memory import memory
from app.agent.models import model_tests, models
from app.agent.quickadd import quick_todo
from app.core import idempotency
from app.core.operation import Catalog
from app.interfaces import openapi
from app.managed_agents import agent_chat, agent_keys, managed_agents, wake_agents
from app.network import explain, network_tools, overview
from app.network.contacts import connect_by_link, contact_requests
from app.network.contacts import contacts as network_contacts
from app.network.guests import expired_links, guest_queue, guests, shared_notes, shares
from app.network.messages import agent_rpc, groups, messages, waiting
from app.portability import import_export
from app.raw_memory import account_keys, enrolments, records, upload_records
from app.raw_memory import devices as raw_devices
from app.runtime.approvals import tool_approvals, trusted_policies
from app.runtime.delegations import collaborations, delegations
from app.runtime.devices import default_route, device_codes, endpoints, people
from app.runtime.devices import sessions as runtime_sessions
from app.runtime.grants import grants as runtime_grants
from app.runtime.grants import target_offers, user_grants
from app.runtime.messages import dispatch
from app.runtime.messages import messages as runtime_messages
from app.runtime.realtime import stream
from app.tools import mcp_commands, mcp_endpoints, note_tools, tool_endpoints, web_tools
from app.tools.approvals import audit, decide, escalations, precedents, stop_switch
from app.tools.calendars import integrations
from app.tools.registry import namespaces
from app.upkeep import long_work, nightly_check, storage
from app.upkeep.backups import backups
from app.upkeep.doctor import doctor
from app.webhooks import deliveries, webhooks
from app.workspace import accumulate, delete_user, first_user, init_workspace, os_index, os_status
from app.workspace.attachments import attachments
from app.workspace.folders import create_folder, folder_shares, folders, rename_move_folder
from app.workspace.links import links, related_notes
from app.workspace.notes import (
    compare_snapshots,
    delete_note,
    move_copy_pin,
    note_edits,
    note_lists,
    note_summaries,
    notes,
    page_notes,
    prune_snapshots,
    restore_snapshot,
    snapshots,
)
from app.workspace.search import search, search_status
from app.workspace.search.grep import grep, replace
from app.workspace.search.quick_open import quick_open
from app.workspace.todos import complete_todo, due_soon, page_steps, remind, replan, todos
from app.workspace.trash import delete_folder, purge, restore, trash_lists

# the order is that of the endpoints wherever they are listed
CATALOG = Catalog(
    [
        init_workspace,
        os_index,
        os_status,
        first_user,
        delete_user,
        identity,
        users,
        keys,
        sessions,
        team,
        oauth_grants,
        oauth_tokens,
        clients,
        codes,
        contact_pairs,
        usage,
        invoices,
        caps,
        write_gathered,
        token_reservations,
        idempotency,
        openapi,
        accumulate,
        folders,
        create_folder,
        rename_move_folder,
        folder_shares,
        note_lists,
        notes,
        note_edits,
        move_copy_pin,
        delete_note,
        note_summaries,
        page_notes,
        search,
        quick_open,
        related_notes,
        search_status,
        grep,
        replace,
        links,
        snapshots,
        restore_snapshot,
        compare_snapshots,
        prune_snapshots,
        todos,
        quick_todo,
        complete_todo,
        page_steps,
        due_soon,
        remind,
        replan,
        delete_folder,
        restore,
        purge,
        trash_lists,
        attachments,
        import_export,
        briefing,
        calendar_search,
        strategies,
        eisenhower_matrix,
        tool_endpoints,
        namespaces,
        integrations,
        mcp_endpoints,
        mcp_commands,
        note_tools,
        web_tools,
        precedents,
        escalations,
        decide,
        audit,
        stop_switch,
        heartbeat,
        instructions,
        undo,
        execute_proposal,
        clock,
        chat,
        model_tests,
        models,
        conversations,
        page_conversations,
        messages,
        groups,
        agent_rpc,
        waiting,
        contact_requests,
        connect_by_link,
        network_contacts,
        network_tools,
        shares,
        expired_links,
        guests,
        shared_notes,
        guest_queue,
        overview,
        explain,
        runtime_grants,
        target_offers,
        user_grants,
        runtime_messages,
        dispatch,
        tool_approvals,
        trusted_policies,
        delegations,
        collaborations,
        managed_agents,
        agent_keys,
        agent_chat,
        wake_agents,
        endpoints,
        runtime_sessions,
        default_route,
        people,
        device_codes,
        stream,
        webhooks,
        deliveries,
        memory,
        raw_devices,
        enrolments,
        account_keys,
        upload_records,
        records,
        backups,
        storage,
        doctor,
        long_work,
        nightly_check,
    ]
)
